# A template for a tap; version and sums are those of SHA256SUMS of a release.
class Sessc < Formula
  desc "Compress the session logs of coding agents, offline and reversibly"
  homepage "https://example.invalid/sessc"
  version "VERSION"
  license "MIT"

  on_macos do
    on_arm do
      url "https://example.invalid/sessc/sessc-VERSION-darwin-arm64.tar.gz"
      sha256 "SUM"
    end
    on_intel do
      url "https://example.invalid/sessc/sessc-VERSION-darwin-amd64.tar.gz"
      sha256 "SUM"
    end
  end

  def install
    bin.install "sessc", "sessc-gemini"
    man1.install "sessc.1"
    generate_completions_from_executable(bin/"sessc", "completion", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match "sessc", shell_output("#{bin}/sessc version")
  end
end
