// Package s3 stores payloads as objects of an S3-compatible server. The driver
// itself is that of the Temporal SDK; this package gives it a client, a prefix, and
// bounds. Credentials come from where AWS programs look for them: variables,
// profiles, the role of the machine.
package s3
