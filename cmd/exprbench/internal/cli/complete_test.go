package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func TestComplete(t *testing.T) {
	for _, c := range []struct {
		args string // the last one is begun; _ is an empty one
		want string // some of the completions
		how  cobra.ShellCompDirective
	}{
		{"ev", "eval", cobra.ShellCompDirectiveNoFileComp},
		{"help ev", "eval", cobra.ShellCompDirectiveNoFileComp},
		{"man _", "eval inspect run", cobra.ShellCompDirectiveNoFileComp},
		{"ops arct", "arctan2", cobra.ShellCompDirectiveNoFileComp},
		{"eval --backend _", "interp cuda", cobra.ShellCompDirectiveNoFileComp},
		{"eval --threads _", "", cobra.ShellCompDirectiveNoFileComp},
		{"eval y=a*k -i _", "a= k=", cobra.ShellCompDirectiveNoSpace},
		{"eval y=a*k -i a=", "", cobra.ShellCompDirectiveDefault},
		{"eval y=a*k -o _", "y=", cobra.ShellCompDirectiveNoSpace},
		{"eval y=a*k -D _", "k=", cobra.ShellCompDirectiveNoSpace},
		{"eval y=( -D _", "", cobra.ShellCompDirectiveDefault},
		{"inspect y=x+1 -s _", "x=", cobra.ShellCompDirectiveNoSpace},
		{"inspect y=x+1 -s x=3x4:fl", "x=3x4:float32 x=3x4:float64", cobra.ShellCompDirectiveNoFileComp},
		{"inspect --pass f", "fuse", cobra.ShellCompDirectiveNoFileComp},
		{"inspect --format h", "html", cobra.ShellCompDirectiveNoFileComp},
		{"inspect --arch _", "sm_90", cobra.ShellCompDirectiveNoFileComp},
		{"run --only Adam,Sof", "Adam,Softmax", cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace},
		{"run --format b", "bench", cobra.ShellCompDirectiveNoFileComp},
		{"trace --net _", "pbtxt", cobra.ShellCompDirectiveFilterFileExt},
		{"man --dir _", "", cobra.ShellCompDirectiveFilterDirs},
	} {
		args := strings.Fields("__complete " + c.args)
		if last := &args[len(args)-1]; *last == "_" {
			*last = ""
		}
		lines := strings.Split(strings.TrimSpace(run(t, newRoot(), args...)), "\n")
		var got []string
		for _, l := range lines[:len(lines)-1] {
			value, _, _ := strings.Cut(l, "\t")
			got = append(got, value)
		}
		for _, want := range strings.Fields(c.want) {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q lacks %s", c.args, got, want)
			}
		}
		if c.want == "" && len(got) > 0 {
			t.Errorf("%s: %q, want nothing", c.args, got)
		}
		if how := lines[len(lines)-1]; how != ":"+string('0'+rune(c.how)) && how != ":16" {
			t.Errorf("%s: directive %s, want %d", c.args, how, c.how)
		}
	}
}

// TestEveryFlagCompletes tests that the shell knows what the value of each flag is.
func TestEveryFlagCompletes(t *testing.T) {
	files := []string{"output"} // any file
	for _, c := range commands(newRoot()) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if _, ok := c.GetFlagCompletionFunc(f.Name); !ok && f.Value.Type() != "bool" && !slices.Contains(files, f.Name) {
				t.Errorf("%s --%s does not say what completes it", c.Name(), f.Name)
			}
		})
	}
}
