package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// A MongoDB finds and changes a document in one step. FerretDB first finds it and then changes it, so that two writers
// may both find what only one of them should. Behind a
// turnstile that lets one write in at a time, it does as a MongoDB.
type turnstile struct {
	socket string
	writes sync.Mutex
}

const (
	headerSize = 16
	maxMessage = 48_000_000
	opMessage  = 2013
	moreToCome = 1 << 1
)

// A write that is never answered fails alone: others do not wait for it.
const longestWrite = time.Minute

func (t *turnstile) serve(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer client.Close()
			server, err := net.Dial("unix", t.socket)
			if err != nil {
				return
			}
			defer server.Close()
			for t.pass(client, server) == nil {
			}
		}()
	}
}

// One request and its answer.
func (t *turnstile) pass(client, server net.Conn) error {
	request, err := message(client)
	if err != nil {
		return err
	}
	answer, err := t.ask(server, request)
	if err != nil || answer == nil {
		return err
	}
	_, err = client.Write(answer)
	return err
}

func (t *turnstile) ask(server net.Conn, request []byte) ([]byte, error) {
	if changes(request) {
		t.writes.Lock()
		defer t.writes.Unlock()
		if err := server.SetDeadline(time.Now().Add(longestWrite)); err != nil {
			return nil, err
		}
		defer server.SetDeadline(time.Time{})
	}
	if _, err := server.Write(request); err != nil {
		return nil, err
	}
	if isMessage(request) && flags(request)&moreToCome != 0 {
		return nil, nil
	}
	return message(server)
}

func message(from io.Reader) ([]byte, error) {
	header := make([]byte, headerSize)
	if _, err := io.ReadFull(from, header); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(header)
	if size < headerSize || size > maxMessage {
		return nil, errors.New("not a message")
	}
	whole := make([]byte, size)
	copy(whole, header)
	_, err := io.ReadFull(from, whole[headerSize:])
	return whole, err
}

func isMessage(message []byte) bool {
	return binary.LittleEndian.Uint32(message[12:]) == opMessage && len(message) > headerSize+10
}

func flags(message []byte) uint32 { return binary.LittleEndian.Uint32(message[headerSize:]) }

// The first element of the command is its name: after the flags, the kind of section, the document's size, a type.
func changes(request []byte) bool {
	if !isMessage(request) {
		return false
	}
	name, _, _ := bytes.Cut(request[headerSize+10:], []byte{0})
	return !reads[string(name)]
}

var reads = map[string]bool{
	"aggregate": true, "buildInfo": true, "count": true, "distinct": true, "endSessions": true, "find": true,
	"getMore": true, "hello": true, "isMaster": true, "ismaster": true, "killCursors": true,
	"listCollections": true, "listDatabases": true, "listIndexes": true, "ping": true,
}
