package archive

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/SaveTheRbtz/zstd-seekable-format-go/pkg/framecache"
	"github.com/klauspost/compress/zstd"

	"sessc/session"
)

// frameSize is the most that one frame holds, uncompressed. Frames of 256 KB
// cost 8 % of the ratio of one big frame and decode in under half a
// millisecond.
const frameSize = 256 << 10

// cachedFrames bounds what a reader keeps decoded: 8 MB.
const cachedFrames = 32

// packExt ends the name of a finished pack.
const packExt = ".zst"

func (a *Archive) packPath(id int64) string {
	return filepath.Join(a.dir, packsName, fmt.Sprintf("%08d%s", id, packExt))
}

func (a *Archive) partPath(id int64) string { return a.packPath(id) + ".part" }

// readFunc gives n bytes of an old file.
type readFunc func(file int, off, n int64) ([]byte, error)

// framer collects bytes into frames and writes each as soon as it is full.
type framer struct {
	w   *seekable.Writer
	buf []byte
}

// begin starts a new frame unless n bytes more fit into the one at hand. What
// fits in no frame starts a new one if the one at hand is worth it.
func (f *framer) begin(n int64) error {
	if int64(len(f.buf))+n <= frameSize || (n > frameSize && len(f.buf) < frameSize/4) {
		return nil
	}
	return f.flush()
}

func (f *framer) add(b []byte) error {
	for len(b) > 0 {
		n := min(len(b), frameSize-len(f.buf))
		f.buf = append(f.buf, b[:n]...)
		b = b[n:]
		if len(f.buf) == frameSize {
			if err := f.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *framer) flush() error {
	if len(f.buf) == 0 {
		return nil
	}
	_, err := f.w.Write(f.buf)
	f.buf = f.buf[:0]
	atStep("frame written")
	return err
}

// writePack writes the segments and sets their sums.
func writePack(ctx context.Context, w io.Writer, segs []segment, read readFunc) error {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(2*frameSize))
	if err != nil {
		return err
	}
	defer enc.Close()
	sw, err := seekable.NewWriter(w, enc)
	if err != nil {
		return err
	}
	f := &framer{w: sw, buf: make([]byte, 0, frameSize)}
	for i := range segs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i == 0 || segs[i].ref != segs[i-1].ref {
			group := int64(0)
			for j := i; j < len(segs) && segs[j].ref == segs[i].ref; j++ {
				group += segs[j].at.Len
			}
			if err := f.begin(group); err != nil {
				return err
			}
		}
		if err := f.begin(segs[i].at.Len); err != nil {
			return err
		}
		if err := f.copy(&segs[i], read); err != nil {
			return err
		}
	}
	if err := f.flush(); err != nil {
		return err
	}
	return sw.Close()
}

func (f *framer) copy(s *segment, read readFunc) error {
	sum := sha256.New()
	for done := int64(0); done < s.at.Len; {
		n := min(s.at.Len-done, frameSize)
		b, err := read(s.file, s.at.Off+done, n)
		if err != nil {
			return fmt.Errorf("read file %d at %d: %w", s.file, s.at.Off+done, err)
		}
		if int64(len(b)) != n {
			return fmt.Errorf("read file %d at %d: %d bytes of %d: %w", s.file, s.at.Off+done, len(b), n, io.ErrUnexpectedEOF)
		}
		sum.Write(b)
		if err := f.add(b); err != nil {
			return err
		}
		done += n
	}
	sum.Sum(s.sum[:0])
	return nil
}

// pack is an open pack file.
type pack struct {
	f   *os.File
	dec *zstd.Decoder
	r   *seekable.Reader
}

func openPack(path string) (*pack, error) {
	if err := regular(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(16*frameSize))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	p := &pack{f: f, dec: dec}
	p.r, err = readFrames(f, dec)
	if err != nil {
		dec.Close()
		return nil, errors.Join(fmt.Errorf("%s: %w: %w", filepath.Join(packsName, filepath.Base(path)), ErrPack, err), f.Close())
	}
	return p, nil
}

// readFrames reads a pack, and keeps the frames that it decoded last.
func readFrames(f *os.File, dec seekable.ZSTDDecoder) (*seekable.Reader, error) {
	return seekable.NewReader(f, dec, seekable.WithReaderFrameCache(framecache.NewLRU(framecache.Limits{MaxFrames: cachedFrames})))
}

// close may be called on nil.
func (p *pack) close() error {
	if p == nil {
		return nil
	}
	err := p.r.Close()
	p.dec.Close()
	return errors.Join(err, p.f.Close())
}

// readAt fills b from the uncompressed offset off. Each frame carries a
// checksum that is compared.
func (p *pack) readAt(b []byte, off int64) error {
	if len(b) == 0 {
		return nil
	}
	if n, err := p.r.ReadAt(b, off); n < len(b) {
		return fmt.Errorf("%s: %d bytes at %d: %w: %w", filepath.Join(packsName, filepath.Base(p.f.Name())), len(b), off, ErrFrame, innermost(err))
	}
	return nil
}

// innermost is what lies at the bottom of an error: what the decoder says,
// without the words that the layers above it put around.
func innermost(err error) error {
	for {
		below := errors.Unwrap(err)
		if below == nil {
			return err
		}
		err = below
	}
}

// verify reads a whole pack through a handle of its own and compares every
// segment with the sum that was taken while it was written.
func verify(ctx context.Context, path string, segs []segment) (err error) {
	p, err := openPack(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	return p.verify(ctx, segs)
}

// verify reads the whole pack and compares every segment with its sum.
func (p *pack) verify(ctx context.Context, segs []segment) error {
	path := p.f.Name()
	table, err := p.r.SeekTable()
	if err != nil {
		return err
	}
	if want := rawSize(segs); int64(table.Size()) != want {
		return fmt.Errorf("%s holds %d bytes, %d were put: %w", filepath.Base(path), table.Size(), want, ErrDamaged)
	}
	buf := make([]byte, frameSize)
	for i := range segs {
		if err := ctx.Err(); err != nil {
			return err
		}
		got, err := p.sum(segs[i].off, segs[i].at.Len, buf)
		if err != nil {
			return err
		}
		if got != segs[i].sum {
			return fmt.Errorf("%s: bytes %d+%d of file %d differ from what was put: %w",
				filepath.Base(path), segs[i].at.Off, segs[i].at.Len, segs[i].file, ErrDamaged)
		}
	}
	return nil
}

func (p *pack) sum(off, n int64, buf []byte) (sum [32]byte, err error) {
	h := sha256.New()
	for n > 0 {
		b := buf[:min(n, int64(len(buf)))]
		if err := p.readAt(b, off); err != nil {
			return sum, err
		}
		h.Write(b)
		off, n = off+int64(len(b)), n-int64(len(b))
	}
	h.Sum(sum[:0])
	return sum, nil
}

func rawSize(segs []segment) (n int64) {
	for i := range segs {
		n += segs[i].at.Len
	}
	return n
}

// reader reads old bytes out of a pack, for writing them into another.
func (p *pack) reader(segs []segment) readFunc {
	return func(file int, off, n int64) ([]byte, error) {
		at, ok := find(segs, file, session.Range{Off: off, Len: n})
		if !ok {
			return nil, ErrForgotten
		}
		b := make([]byte, n)
		return b, p.readAt(b, at)
	}
}
