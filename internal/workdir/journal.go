package workdir

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"revopt/internal/safefile"
)

// Journal is an append-only file of records that survives a crash at any byte.
//
// Every record is one line: the CRC-32C of the payload in hexadecimal, a space
// and the payload, which holds no line feed. The first record names the work
// the journal belongs to, the second the build of the program that wrote it; a copy
// of both follows, so that damage to one line costs nothing. Where builds are mixed,
// each writes its own before its first record. A record
// is whole or it is not there: a line that is not whole and intact is passed
// over, and the work lost with it is done again. On opening, all that follows
// the last intact line is cut off.
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
	size  int64 // of the file
	dirty bool
	err   error
	stop  chan struct{}
	done  chan struct{}
}

const (
	syncEvery   = 200 * time.Millisecond
	headerLines = 4
)

// ForgedError is a journal with an intact record that no run has written.
type ForgedError struct{ Path, Why string }

func (e *ForgedError) Error() string {
	return e.Path + ": the journal is damaged or forged: " + e.Why
}

// errRemoved is the reason for which a journal keeps nothing any more.
var errRemoved = errors.New("the journal was removed, moved or replaced meanwhile: start again")

// OtherWorkError is a directory that holds the results of other work, or of another edition of the program.
type OtherWorkError struct{ Dir string }

func (e *OtherWorkError) Error() string {
	return e.Dir + ": holds the results of another edition of the program, or of other work: start a new directory"
}

// Identity is what a journal must belong to.
type Identity struct {
	Work     string
	Build    Build
	AnyBuild bool // records of other builds are read as well, never continued
}

// OpenJournal opens or creates a journal, calls record for the payload of every
// record in it, in order, whose error is a *ForgedError, and returns it ready for appending.
// The payload is only valid during the call.
// It returns an *OtherWorkError or an *OtherBuildError where the journal is not to be
// gone on with.
func OpenJournal(path string, id Identity, record func(payload []byte) error) (*Journal, error) {
	id.AnyBuild = false
	file, err := safefile.OpenRegular(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	stored, err := readRecords(file, id, record)
	if err == nil {
		err = file.Truncate(stored.whole)
	}
	if err == nil {
		_, err = file.Seek(stored.whole, io.SeekStart)
	}
	j := &Journal{path: path, file: file, size: stored.whole, stop: make(chan struct{}), done: make(chan struct{})}
	if err == nil && stored.whole == 0 {
		err = j.append([]byte(id.Work), id.Build.record(), []byte(id.Work), id.Build.record())
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	go j.syncer()
	return j, nil
}

// ReadJournal calls record for the payload of every whole record of a journal. A journal that does not exist has no
// records.
func ReadJournal(path string, id Identity, record func(payload []byte) error) error {
	file, err := safefile.OpenRegular(path, os.O_RDONLY, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = readRecords(file, id, record)
	return err
}

// contents is what a journal holds.
type contents struct {
	whole int64 // where the last whole record ends; 0 where the beginning is not whole
	last  Build // that wrote records
}

// readRecords reads whole records. A file that does not begin as a journal of the work is
// an error, unless it was cut off in its first line. Records before the first build are of
// a build that is not known.
func readRecords(file *os.File, id Identity, record func([]byte) error) (contents, error) {
	buf := bufio.NewReaderSize(file, 1<<20)
	head := fmt.Sprintf("%08x %s\n", checksum([]byte(id.Work)), id.Work)
	var c contents
	var read int64
	owned, begun := false, false // the work, a build or a record was there
	for {
		line, end := readLine(buf)
		if end != nil && end != io.EOF {
			return c, end
		}
		payload, intact := parseRecord(line)
		first := read == 0
		read += int64(len(line))
		switch {
		case !intact:
		case string(payload) == id.Work:
			owned = true
		case first:
			return contents{}, &OtherWorkError{filepath.Dir(file.Name())}
		default:
			begun = true
			if err := c.add(payload, id, owned, file.Name(), record); err != nil {
				return c, err
			}
		}
		if intact && begun {
			c.whole = read
		}
		switch cut := len(line) == int(read) && strings.HasPrefix(head, string(line)); {
		case end == nil:
		case owned:
			return c, nil
		case cut: // by a crash, in its first line
			return contents{}, nil
		default:
			return c, headless(file.Name())
		}
	}
}

// add reads a record that does not name the work.
func (c *contents) add(payload []byte, id Identity, owned bool, path string, record func([]byte) error) error {
	b, isBuild := parseBuild(payload)
	if isBuild {
		c.last = b
	}
	if !id.AnyBuild && c.last.Sum != id.Build.Sum {
		return &OtherBuildError{filepath.Dir(path), id.Build, c.last}
	}
	if isBuild {
		return nil
	}
	if !owned {
		return headless(path)
	}
	if err := record(payload); err != nil {
		return &ForgedError{path, err.Error()}
	}
	return nil
}

// headless is a journal of which neither line that names the work is intact.
func headless(path string) error {
	return &ForgedError{path, "the first line, which names its work, and its copy are not intact"}
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

// Append writes records, which do not begin with a brace. After an error nothing
// more can be appended; records appended before stay readable.
func (j *Journal) Append(payloads ...[]byte) error {
	for _, payload := range payloads {
		if bytes.HasPrefix(payload, []byte{'{'}) {
			panic("workdir: journal record begins as that of a build")
		}
	}
	return j.append(payloads...)
}

func (j *Journal) append(payloads ...[]byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	j.line = j.line[:0]
	for _, payload := range payloads {
		if len(payload) == 0 || bytes.IndexByte(payload, '\n') >= 0 {
			panic("workdir: journal record is empty or has a line feed")
		}
		j.line = fmt.Appendf(j.line, "%08x ", checksum(payload))
		j.line = append(j.line, payload...)
		j.line = append(j.line, '\n')
	}
	if _, err := j.file.Write(j.line); err != nil {
		j.err = errors.Join(err, j.file.Truncate(j.size)) // of the records all or none are kept
		return err
	}
	j.size += int64(len(j.line))
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

// fsync writes a file through to the disk. Tests watch it.
var fsync = (*os.File).Sync

// sync writes new records through to the disk, and makes sure that they can be
// found there: a file that was removed is still written to without an error.
func (j *Journal) sync() error {
	j.mu.Lock()
	dirty := j.dirty
	j.dirty = false
	j.mu.Unlock()
	if !dirty {
		return nil
	}
	if err := fsync(j.file); err != nil {
		return err
	}
	open, err := j.file.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Lstat(j.path); err != nil || !os.SameFile(open, there) {
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
