package skill_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/platform"
	"errand/tools/schema"
	"errand/tools/skill"
)

func TestSkillsAreListedToTheModel(t *testing.T) {
	t.Parallel()
	tool := load(t, folder(t,
		"pdf-forms/SKILL.md", pdf,
		"mail/SKILL.md", "\uFEFF---\r\ndescription: >\r\n  Writes mail\r\n  in the style of the house.\r\nname: mail\r\nlicense: MIT\r\n---\r\nBe polite.\r\n",
		"README.md", "not a skill", ".git/config", "not a skill",
	))
	require.Equal(t, "load_skill", tool.Name)
	require.Contains(t, tool.Description, "\n- mail: Writes mail in the style of the house.\n- pdf-forms: Fills PDF forms.")

	source, err := platform.NewSource(tool)
	require.NoError(t, err)
	d, _ := source.Describe("load_skill")
	require.Equal(t, tools.EffectRead, d.Effect)
	require.False(t, d.Capabilities.Writes)
	require.True(t, d.ParallelSafe)

	s, err := schema.Compile(d.Parameters)
	require.NoError(t, err)
	require.Empty(t, s.Check([]byte(`{"name":"mail"}`)))
	require.Empty(t, s.Check([]byte(`{"name":"pdf-forms","file":"a.txt"}`)))
	for _, wrong := range []string{`{}`, `{"name":"other"}`, `{"name":"mail","file":1}`, `{"name":"mail","path":"x"}`} {
		require.NotEmpty(t, s.Check([]byte(wrong)), wrong)
	}
}

func TestLongDescriptionsAreCut(t *testing.T) {
	t.Parallel()
	var pairs []string
	for _, name := range []string{"a", "b"} {
		pairs = append(pairs, name+"/SKILL.md", "---\nname: "+name+"\ndescription: "+strings.Repeat("é", 20_000)+"\n---\n")
	}
	lines := strings.Split(load(t, folder(t, pairs...)).Description, "\n")
	require.Len(t, lines, 3)
	require.True(t, strings.HasSuffix(lines[1], "é…"))
	require.LessOrEqual(t, len(lines[1]), 1100)

	pairs = nil
	for i := range 300 {
		name := "s" + strings.Repeat("x", i%60) + "-" + string(rune('a'+i/60))
		pairs = append(pairs, name+"/SKILL.md", "---\nname: "+name+"\ndescription: "+strings.Repeat("long ", 100)+"\n---\n")
	}
	require.Less(t, len(load(t, folder(t, pairs...)).Description), 48<<10)
}

func TestFolderWithoutSkillsIsNoFault(t *testing.T) {
	t.Parallel()
	tool := load(t, t.TempDir())
	require.Contains(t, tool.Description, "There is none")
	_, err := call(t, tool, `{"name":"mail"}`)
	require.ErrorContains(t, err, `there is no skill "mail"`)
}

func TestRootThatCannotBeUsedIsNamed(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "absent")
	_, err := skill.Load(missing)
	require.EqualError(t, err, `skills folder "`+missing+`" does not exist`)

	file := filepath.Join(folder(t, "skills", "a file"), "skills")
	_, err = skill.Load(file)
	require.EqualError(t, err, `skills folder "`+file+`" cannot be read: not a directory`)

	_, err = skill.Load("")
	require.EqualError(t, err, "name the folder that the skills are in")
}

func TestEveryFaultOfTheSkillsIsListed(t *testing.T) {
	t.Parallel()
	root := folder(t,
		"a-no-file/readme.md", "x",
		"b-no-front/SKILL.md", "# Just text\n",
		"c-no-end/SKILL.md", "---\nname: c-no-end\ndescription: d\n",
		"d-no-keys/SKILL.md", "---\nlicense: MIT\n---\n",
		"e-empty/SKILL.md", "---\n---\nbody\n",
		"f-list/SKILL.md", "---\n- name\n---\n",
		"g-broken/SKILL.md", "---\nname: [\n---\n",
		"h-blank/SKILL.md", "---\nname:\ndescription: ' '\n---\n",
		"i-shapes/SKILL.md", "---\nname: [i-shapes]\ndescription: {a: b}\n---\n",
		"j-case/SKILL.md", "---\ndescription: d\nname: J_Case\n---\n",
		"k-other/SKILL.md", "---\nname: good\ndescription: d\n---\n",
		"l-twice/SKILL.md", "---\nname: l-twice\ndescription: d\nname: l-twice\n---\n",
		"good/SKILL.md", "---\nname: good\ndescription: d\n---\n",
		"m-folder/SKILL.md/x", "x",
	)
	_, err := skill.Load(root)
	var faults tools.Faults
	require.ErrorAs(t, err, &faults)
	var lines []string
	for _, f := range faults {
		lines = append(lines, strings.TrimPrefix(f.String(), root+string(filepath.Separator)))
	}
	require.Equal(t, []string{
		`a-no-file/SKILL.md: does not exist: write it, or move the folder away from the skills`,
		`b-no-front/SKILL.md:1: has no front matter: begin with a line "---", the keys name and description, and a line "---"`,
		`c-no-end/SKILL.md:1: has no front matter: begin with a line "---", the keys name and description, and a line "---"`,
		`d-no-keys/SKILL.md: name: required: the name of the folder, "d-no-keys"`,
		`d-no-keys/SKILL.md: description: required: what the skill does and when to use it`,
		`e-empty/SKILL.md:1: the front matter must be keys with values, such as name and description`,
		`f-list/SKILL.md:1: the front matter must be keys with values, such as name and description`,
		`g-broken/SKILL.md: the front matter cannot be read: line 2: did not find expected node content`,
		`h-blank/SKILL.md:2: name: required: the name of the folder, "h-blank"`,
		`h-blank/SKILL.md:3: description: required: what the skill does and when to use it`,
		`i-shapes/SKILL.md:2: name: must be text`,
		`i-shapes/SKILL.md:3: description: must be text`,
		`j-case/SKILL.md:3: name: "J_Case": use 1 to 64 lower-case letters, digits and dashes`,
		`k-other/SKILL.md:2: name: "good" is not the name of the folder, "k-other": make them the same`,
		`k-other/SKILL.md:2: name: "good" is the name in ` + filepath.Join(root, "good/SKILL.md") + `:2, too: rename one`,
		`l-twice/SKILL.md:4: name: stands here a second time: keep one of them`,
		`m-folder/SKILL.md: is a folder: name a file in it`,
	}, lines)
}

func TestSkillsMayNotLieElsewhere(t *testing.T) {
	t.Parallel()
	outside := folder(t, "mail/SKILL.md", "---\nname: mail\ndescription: d\n---\n")
	root := folder(t, "pdf-forms/SKILL.md", pdf, "notes/x", "x")
	require.NoError(t, os.Symlink(filepath.Join(outside, "mail"), filepath.Join(root, "mail")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "mail", "SKILL.md"), filepath.Join(root, "notes", "SKILL.md")))
	_, err := skill.Load(root)
	require.ErrorContains(t, err, filepath.Join(root, "mail")+": leads out of its folder")
	require.ErrorContains(t, err, filepath.Join(root, "notes", "SKILL.md")+": leads out of its folder")
}
