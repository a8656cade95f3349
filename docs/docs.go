// Package docs holds the pages of documentation that the program prints itself.
package docs

import _ "embed"

// Formats is the page on the agents' logs that sessc reads, in Markdown.
//
//go:embed formats.md
var Formats []byte
