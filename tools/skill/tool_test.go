package skill_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
)

func TestSkillGivesItsInstructionsAndItsFiles(t *testing.T) {
	t.Parallel()
	tool := load(t, folder(t,
		"pdf-forms/SKILL.md", pdf, "pdf-forms/reference.md", "Fields: …",
		"pdf-forms/scripts/fill.py", "print()", "pdf-forms/.cache/x", "x", "pdf-forms/.hidden", "x",
		"plain/SKILL.md", "---\nname: plain\ndescription: d\n---\n\n--- not a rule\nJust do it.\n",
	))
	text, err := call(t, tool, `{"name":"pdf-forms"}`)
	require.NoError(t, err)
	require.Equal(t, "# Forms\n\nRead reference.md.\n\nFiles of this skill, to load with the parameter file:\n- reference.md\n- scripts/fill.py", text)

	text, err = call(t, tool, `{"name":"plain","file":""}`)
	require.NoError(t, err)
	require.Equal(t, "--- not a rule\nJust do it.", text)

	text, err = call(t, tool, `{"name":"pdf-forms","file":"./scripts/../reference.md"}`)
	require.NoError(t, err)
	require.Equal(t, "Fields: …", text)

	text, err = call(t, tool, `{"name":"pdf-forms","file":"SKILL.md"}`)
	require.NoError(t, err)
	require.Equal(t, pdf, text)
}

func TestInstructionsAreReadWhenTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	root := folder(t, "pdf-forms/SKILL.md", pdf)
	tool := load(t, root)
	file := filepath.Join(root, "pdf-forms", "SKILL.md")
	for written, want := range map[string]string{
		"---\nname: pdf-forms\ndescription: d\n---\nSecond edition.": "Second edition.",
		"No front matter at all.":                                    "No front matter at all.",
	} {
		write(t, file, written)
		text, err := call(t, tool, `{"name":"pdf-forms"}`)
		require.NoError(t, err)
		require.Equal(t, want, text)
	}
	require.NoError(t, os.Remove(file))
	_, err := call(t, tool, `{"name":"pdf-forms"}`)
	require.EqualError(t, err, `name: the skill "pdf-forms" cannot be loaded: SKILL.md does not exist`)
	require.NoError(t, os.RemoveAll(filepath.Dir(file)))
	_, err = call(t, tool, `{"name":"pdf-forms"}`)
	require.EqualError(t, err, `name: the skill "pdf-forms" cannot be loaded: its folder does not exist`)
	require.NoError(t, os.RemoveAll(root))
	_, err = call(t, tool, `{"name":"pdf-forms"}`)
	require.EqualError(t, err, `name: the skill "pdf-forms" cannot be loaded: its folder does not exist`)
}

func TestFilesThatCannotBeLoadedAreRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	root := folder(t,
		"pdf-forms/SKILL.md", pdf, "pdf-forms/data/x", "x",
		"pdf-forms/form.pdf", "%PDF-1.7\n\x00\x01", "pdf-forms/latin.txt", "caf\xe9",
		"pdf-forms/fits.txt", strings.Repeat("x", 256<<10), "pdf-forms/large.txt", strings.Repeat("x", 256<<10+1),
		"mail/SKILL.md", "---\nname: mail\ndescription: d\n---\n", "secret.txt", "secret",
	)
	skillFolder := filepath.Join(root, "pdf-forms")
	require.NoError(t, os.Symlink("../mail/SKILL.md", filepath.Join(skillFolder, "sibling.md")))
	require.NoError(t, os.Symlink(root, filepath.Join(skillFolder, "up")))
	require.NoError(t, os.Symlink("data/x", filepath.Join(skillFolder, "inside.md")))
	tool := load(t, root)
	for file, want := range map[string]string{
		"absent.md":     "does not exist",
		"data":          "is a folder: name a file in it",
		"form.pdf":      "is a binary file (application/pdf, 11 bytes): only text can be loaded",
		"latin.txt":     "is a binary file (text/plain; charset=utf-8, 4 bytes): only text can be loaded",
		"large.txt":     "is too large: it has 262145 bytes, at most 262144 can be loaded",
		"sibling.md":    "leads out of its folder, where nothing may be read",
		"up/secret.txt": "leads out of its folder, where nothing may be read",
		"../secret.txt": "leads out of its folder, where nothing may be read",
		"/etc/passwd":   "is absolute: use a path within the folder of the skill",
		"data/x/y":      "cannot be read: not a directory",
	} {
		arguments, err := json.Marshal(map[string]string{"name": "pdf-forms", "file": file})
		require.NoError(t, err)
		_, err = call(t, tool, string(arguments))
		require.EqualError(t, err, fmt.Sprintf("file: %q %s", file, want))
		require.NotContains(t, err.Error(), root)
	}
	_, err := call(t, tool, `{"name":"pdf-forms","file":"a\u0000b"}`)
	require.ErrorContains(t, err, "is not a path")
	for _, file := range []string{"fits.txt", "inside.md"} {
		_, err := call(t, tool, `{"name":"pdf-forms","file":"`+file+`"}`)
		require.NoError(t, err, file)
	}
	text, err := call(t, tool, `{"name":"pdf-forms"}`)
	require.NoError(t, err)
	require.Contains(t, text, "- inside.md\n")
	require.NotContains(t, text, "sibling.md")
	require.NotContains(t, text, "up")
}

func TestOnlyKnownSkillsAreLoaded(t *testing.T) {
	t.Parallel()
	root := folder(t, "pdf-forms/SKILL.md", pdf)
	tool := load(t, root)
	write(t, filepath.Join(root, "late", "SKILL.md"), "x")
	for _, name := range []string{"late", "..", ".", "", "pdf-forms/../pdf-forms"} {
		_, err := call(t, tool, `{"name":"`+name+`"}`)
		require.EqualError(t, err, fmt.Sprintf("name: there is no skill %q; there are: pdf-forms", name))
	}
}

func TestLongListsOfFilesEnd(t *testing.T) {
	t.Parallel()
	pairs := []string{"pdf-forms/SKILL.md", pdf}
	for i := range 201 {
		pairs = append(pairs, fmt.Sprintf("pdf-forms/%03d.txt", i), "x")
	}
	text, err := call(t, load(t, folder(t, pairs...)), `{"name":"pdf-forms"}`)
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(text, "- 199.txt\n[only the first 200 files are listed]"))
}

func TestLoadingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tool := load(t, folder(t, "pdf-forms/SKILL.md", pdf))
	_, err := tool.Execute(ctx, tools.Invocation{Arguments: json.RawMessage(`{"name":"pdf-forms"}`)})
	require.ErrorIs(t, err, context.Canceled)
}
