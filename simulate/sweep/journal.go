package sweep

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"time"
)

// Journal is an append-only file of records that survives a crash at any byte.
//
// Every record is one line: the CRC-32C of the payload in hexadecimal, a space
// and the payload, which holds no line feed. The first record names the work
// the journal belongs to. A record is whole or it is not there: a line that is
// not whole and intact is passed over, and what was lost with it is done again.
// On opening, what follows the last intact line is cut off.
//
// Appended records reach the operating system at once, so that they survive
// the death of the process, and the disk within syncEvery, so that a pulled
// plug costs at most the work of that time. A Journal may be used by several
// goroutines.
type Journal struct {
	path  string
	mu    sync.Mutex
	file  *os.File
	line  []byte
	dirty bool
	err   error
	stop  chan struct{}
	done  chan struct{}
}

const syncEvery = 200 * time.Millisecond

// ErrOtherWork is returned where a journal belongs to other work.
var ErrOtherWork = errors.New("the journal belongs to another sweep")

// errRemoved is the reason for which a journal keeps nothing any more.
var errRemoved = errors.New("the journal was removed, moved or replaced meanwhile: start again")

// OpenJournal opens or creates the journal of the work with the given name,
// calls record for the payload of every record in it, in order, and returns it
// ready for appending. The payload is only valid during the call.
func OpenJournal(path, work string, record func(payload []byte) error) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	whole, err := readRecords(file, work, record)
	if err == nil {
		err = file.Truncate(whole)
	}
	if err == nil {
		_, err = file.Seek(whole, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	j := &Journal{path: path, file: file, stop: make(chan struct{}), done: make(chan struct{})}
	if whole == 0 {
		if err := j.Append([]byte(work)); err != nil {
			file.Close()
			return nil, err
		}
	}
	go j.syncer()
	return j, nil
}

// ReadJournal calls record for the payload of every whole record of the
// journal of the work with the given name, without opening it for appending.
// A journal that does not exist has no records.
func ReadJournal(path, work string, record func(payload []byte) error) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = readRecords(file, work, record)
	return err
}

// readRecords reads whole records and returns where the last of them ends. There
// are none where the first is not that of the work.
func readRecords(file *os.File, work string, record func([]byte) error) (whole int64, err error) {
	buf := bufio.NewReaderSize(file, 1<<20)
	var read int64
	for {
		line, err := readLine(buf)
		if err != nil && err != io.EOF {
			return whole, err
		}
		payload, intact := parseRecord(line)
		first := read == 0
		read += int64(len(line))
		switch {
		case first && !intact:
			return 0, nil
		case first && string(payload) != work:
			return 0, ErrOtherWork
		case intact && !first:
			if err := record(payload); err != nil {
				return whole, fmt.Errorf("%s: %w", file.Name(), err)
			}
		}
		if intact {
			whole = read
		}
		if err == io.EOF {
			return whole, nil
		}
	}
}

// readLine reads up to and including the next line feed, whatever the length.
func readLine(buf *bufio.Reader) ([]byte, error) {
	line, err := buf.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	long := append([]byte(nil), line...)
	for err == bufio.ErrBufferFull {
		line, err = buf.ReadSlice('\n')
		long = append(long, line...)
	}
	return long, err
}

// checksum is CRC-32C, which processors compute themselves.
func checksum(payload []byte) uint32 {
	return crc32.Checksum(payload, crc32.MakeTable(crc32.Castagnoli))
}

// parseRecord returns the payload of a line and whether it is whole and intact.
func parseRecord(line []byte) ([]byte, bool) {
	const head = 9 // eight digits and a space
	n := len(line)
	if n <= head || line[n-1] != '\n' || line[head-1] != ' ' {
		return nil, false
	}
	var sum [4]byte
	if _, err := hex.Decode(sum[:], line[:head-1]); err != nil {
		return nil, false
	}
	payload := line[head : n-1]
	want := uint32(sum[0])<<24 | uint32(sum[1])<<16 | uint32(sum[2])<<8 | uint32(sum[3])
	return payload, checksum(payload) == want
}

// Append writes records. After an error nothing more can be appended; what was
// appended before stays readable.
func (j *Journal) Append(payloads ...[]byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	j.line = j.line[:0]
	for _, payload := range payloads {
		if len(payload) == 0 || bytes.IndexByte(payload, '\n') >= 0 {
			panic("sweep: journal record is empty or has a line feed")
		}
		j.line = fmt.Appendf(j.line, "%08x ", checksum(payload))
		j.line = append(j.line, payload...)
		j.line = append(j.line, '\n')
	}
	if _, err := j.file.Write(j.line); err != nil {
		j.err = err
		return err
	}
	j.dirty = true
	return nil
}

// syncer writes appended records through to the disk.
func (j *Journal) syncer() {
	defer close(j.done)
	tick := time.NewTicker(syncEvery)
	defer tick.Stop()
	for {
		select {
		case <-j.stop:
			return
		case <-tick.C:
			if err := j.sync(); err != nil {
				j.mu.Lock()
				j.err = errors.Join(j.err, err)
				j.mu.Unlock()
				return
			}
		}
	}
}

// sync writes what is new through to the disk, and makes sure that it can be
// found there: a file that was removed is still written to without an error.
func (j *Journal) sync() error {
	j.mu.Lock()
	dirty := j.dirty
	j.dirty = false
	j.mu.Unlock()
	if !dirty {
		return nil
	}
	if err := j.file.Sync(); err != nil {
		return err
	}
	open, err := j.file.Stat()
	if err != nil {
		return err
	}
	if found, err := os.Stat(j.path); err != nil || !os.SameFile(open, found) {
		return fmt.Errorf("%s: %w", j.path, errRemoved)
	}
	return nil
}

// Close writes everything through to the disk and closes the file.
func (j *Journal) Close() error {
	close(j.stop)
	<-j.done
	err := j.err
	if !errors.Is(err, errRemoved) {
		j.dirty = true
		err = errors.Join(err, j.sync())
	}
	return errors.Join(err, j.file.Close())
}
