package daemon

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// loopback is where a port without an address is opened.
const loopback = "127.0.0.1"

// ListenAddr completes what people write as an address to listen on: a bare port,
// with or without its colon, is one of the loopback interface; any other interface
// must be written out. Port 0 is a free one. Nothing stays nothing.
func ListenAddr(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if !strings.Contains(text, ":") {
		text = ":" + text
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", fmt.Errorf("address %q: %w", text, err)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("address %q: the port is not a number up to 65535", text)
	} else {
		port = strconv.FormatUint(n, 10)
	}
	if host == "" {
		host = loopback
	}
	return net.JoinHostPort(host, port), nil
}
