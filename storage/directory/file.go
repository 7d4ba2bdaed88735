package directory

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"
)

// write puts data into folder under its digest. When it returns, the file is
// whole and on the disk.
func write(root *os.Root, folder, digest string, data []byte) error {
	name := path.Join(folder, digest)
	if there, err := read(root, name); err == nil && digestOf(there) == digest {
		now := time.Now() // its age counts from its last use
		err := root.Chtimes(name, now, now)
		if err == nil {
			return keep(root, folder) // whoever wrote it may not have come so far yet
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := root.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	part := path.Join(folder, ".part-"+rand.Text())
	if err := writePart(root, part, data); err != nil {
		return errors.Join(err, remove(root, part))
	}
	if err := root.Rename(part, name); err != nil {
		return errors.Join(err, remove(root, part))
	}
	return keep(root, folder)
}

// keep makes the names in a folder, its own and that of its parent outlive a crash
// of the machine.
func keep(root *os.Root, folder string) error {
	return errors.Join(sync(root, folder), sync(root, path.Dir(folder)), sync(root, "."))
}

func writePart(root *os.Root, name string, data []byte) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

func remove(root *os.Root, name string) error {
	if err := root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// read is the whole of a regular file of at most MaxPayload bytes.
func read(root *os.Root, name string) ([]byte, error) {
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > MaxPayload:
		return nil, fmt.Errorf("it has %d bytes, at most %d are read", info.Size(), MaxPayload)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxPayload))
	return data, errors.Join(err, file.Close())
}
