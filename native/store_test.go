package native

import (
	"testing"

	"iterion/native/board"
	"iterion/native/board/boardtest"
)

// The suite of the contract, which holds the tests of I1, I2 and I9 that every
// twin passes.
func TestI2_FileTwinKeepsTheContract(t *testing.T) {
	boardtest.Run(t, func(t *testing.T) board.Store {
		return openStore(t, newStoreDir(t), Options{NoFsync: true})
	})
}
