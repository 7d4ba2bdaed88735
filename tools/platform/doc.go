// Package platform makes Go functions of the worker into tools: a request
// declares one as {"type":"platform","name":…}. A worker registers them through
// NewSource, which the activities then ask for descriptors and executions.
package platform
