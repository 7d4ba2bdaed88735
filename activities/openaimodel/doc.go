// Package openaimodel asks a model over HTTP: it implements activities.Model
// on openai-go, speaking the Responses API or Chat Completions. The worker
// builds a Client from its configuration and hands it to the activities.
//
// Requests and answers are raw JSON on both sides. The typed parameters of
// openai-go lose input items without a type, names inside tool choices and
// vendor keys, so only its HTTP side is used: one attempt a call, no
// environment variable, no redirect to another host.
//
// Responses is the native form: conversation items leave and arrive byte for
// byte. Chat Completions is a translation in both directions.
//
// A streamed answer is put together here and handed on whole, the same items
// as without streaming. Streams are read by this package too: what servers send
// differs more in pieces than in whole, in how calls are numbered, in what ends
// an answer and in where an error stands.
package openaimodel
