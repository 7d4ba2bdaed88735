//go:build !windows

package directory

import (
	"errors"
	"os"
)

// sync makes the names in a folder outlive a crash of the machine.
func sync(root *os.Root, folder string) error {
	opened, err := root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}
