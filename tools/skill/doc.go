// Package skill offers Agent Skills to a model: instructions for kinds of
// tasks, each in a folder of its own with a file SKILL.md. That begins with
// YAML front matter, which names the skill and says when to use it:
//
//	---
//	name: pdf-forms
//	description: Fills PDF forms. Use it when the user hands in a form.
//	---
//	1. Read reference.md …
//
// Load reads the front matters of all skills, so that mistakes show when a
// worker starts. The tool load_skill lists the skills to the model and reads
// the instructions only when it asks for them: they cost nothing before, and
// may be edited while the worker runs. The worker assembles it with its other
// platform tools.
package skill
