// Command sessc-gemini asks Gemini models for sessc, which starts it for the
// first question of a run and ends it after the last one. It is a program of
// its own because the SDK that it holds would slow down every command of sessc.
package main

import (
	"os"

	"sessc/model/gemini/sdk"
)

func main() { os.Exit(sdk.Main()) }
