// Package directory stores payloads as files, for the processes of one machine
// and one user. A file is named by the digest of what is in it, in a folder for
// its namespace and one for its workflow; it is written under another name and
// renamed, so that nobody ever sees a part of it.
package directory
