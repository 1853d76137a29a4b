//go:build !race

package supervise

const raced = false
