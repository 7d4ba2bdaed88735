// Package textcall finds tool calls in the text of models that cannot call
// tools by themselves. A model writes a call as
//
//	<fc>{"name": "get_weather", "arguments": {"city": "Rome"}}</fc>
//
// or lets one JSON object of that shape be its whole answer. Parse takes any
// text, forgives what models commonly get wrong, and never takes longer than
// the length of the text accounts for. The activities use it on the answers of
// a run that asks for it.
//
// Standard library only.
package textcall
