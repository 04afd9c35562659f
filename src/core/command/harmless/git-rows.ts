import { defineRow } from './grammar.ts'
import type { HarmlessRow } from './grammar.ts'

/**
 * Options that choose and print a difference. Left out because they run or write: --output, --ext-diff, --textconv,
 * and --submodule and --remerge-diff, which make git look into other repositories or make objects.
 */
const DIFF = `
  -p -u --patch --no-patch -s --raw --stat[=word] --numstat --shortstat --dirstat --summary --name-only --name-status
  --compact-summary --no-color --color[=word] --no-ext-diff --no-textconv --no-renames --minimal --patience --histogram
  --diff-algorithm=word -U=number --unified=number -M[=number] -C[=number] --find-renames[=number] -w -b -z -W -R
  --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-space-at-eol --ignore-cr-at-eol
  --word-diff[=word] --diff-filter=word -S=text -G=text --pickaxe-regex --pickaxe-all --abbrev[=number] --full-index
  --function-context --no-prefix --relative --check --exit-code --quiet --text -a --ignore-submodules[=word]`

/** Options that choose commits and print them. Left out because it runs a program: --show-signature. */
const COMMITS = `
  -# -n=number --max-count=number --skip=number --since=text --after=text --until=text --before=text --author=text
  --committer=text --grep=text -i --regexp-ignore-case -E -F --all --all-match --invert-grep --branches --tags --remotes
  --merges --no-merges --first-parent --reverse --topo-order --date-order --graph --oneline --decorate[=word]
  --no-decorate --date=text --pretty=commitFormat --format=commitFormat --abbrev-commit --no-abbrev-commit --follow
  --full-history --no-walk --left-right --cherry-pick --cherry-mark --boundary --parents --children --no-notes
  --simplify-merges --no-mailmap -g --walk-reflogs -L=text -m -c --cc`

const REVISIONS_AND_PATHS = { operands: ['text'], most: Infinity } as const

/** The verbs of git that only look, with the options that keep it so. Options before the verb are not understood. */
export const GIT_ROWS: readonly HarmlessRow[] = [
  defineRow('git status', {
    options: `-s --short -b --branch --porcelain[=word] --long -v --verbose -u[=word] --untracked-files[=word]
      --ignored[=word] -z --show-stash --no-renames --renames --ahead-behind --no-ahead-behind
      --ignore-submodules[=word]`,
    ...REVISIONS_AND_PATHS,
  }),
  defineRow('git log', { style: 'letters', options: withoutTwice(COMMITS, DIFF), ...REVISIONS_AND_PATHS }),
  defineRow('git show', { style: 'letters', options: withoutTwice(COMMITS, DIFF), ...REVISIONS_AND_PATHS }),
  defineRow('git rev-list', { style: 'letters', options: `${COMMITS} --count`, ...REVISIONS_AND_PATHS }),
  defineRow('git diff', {
    style: 'letters',
    options: `${DIFF} --cached --staged --merge-base`,
    ...REVISIONS_AND_PATHS,
  }),
  // A name would make a branch or a tag.
  defineRow('git branch', {
    options: '-a --all -r --remotes -v -vv --verbose --show-current -l --list --no-color --color[=word]',
  }),
  defineRow('git tag', { options: '-l --list -n[=number] --no-color' }),
  defineRow('git ls-files', {
    options: `-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u --unmerged -z -t -v
      --exclude-standard --full-name --error-unmatch --directory --no-empty-directory --eol --deduplicate`,
    ...REVISIONS_AND_PATHS,
  }),
  defineRow('git ls-tree', {
    options:
      '-r -d -t -l --long -z --name-only --name-status --object-only --full-name --full-tree --abbrev[=number]',
    ...REVISIONS_AND_PATHS,
  }),
  defineRow('git rev-parse', {
    style: 'words',
    options: `--verify -q --quiet --short --abbrev-ref --symbolic-full-name --show-toplevel --show-prefix --show-cdup
      --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository`,
    ...REVISIONS_AND_PATHS,
  }),
  defineRow('git cat-file', { options: '-p -t -s -e', operands: ['text'], most: 2 }),
  defineRow('git merge-base', { options: '-a --all --is-ancestor --octopus', ...REVISIONS_AND_PATHS }),
  defineRow('git blame', {
    style: 'letters',
    options: `-L=text -w -s -e -l -t -n -f -p -c -M[=number] -C[=number] --porcelain --line-porcelain --show-email
      --show-name --show-number --root --date=text --since=text --abbrev=number`,
    ...REVISIONS_AND_PATHS,
  }),
  // -O opens the files it finds in a program.
  defineRow('git grep', {
    options: `-n --line-number --column -i --ignore-case -l --files-with-matches --name-only -L --files-without-match
      -c --count -w --word-regexp -v --invert-match -h -H -E --extended-regexp -F --fixed-strings -G --basic-regexp -o
      --only-matching -q --quiet --heading --break --cached --untracked --no-index --exclude-standard --all-match --and
      --or --not -e=text -A=number -B=number -C=number -m=number --max-count=number --max-depth=number -p
      --show-function -W --function-context --full-name -a --text -I -z --null --no-color --color[=word]`,
    ...REVISIONS_AND_PATHS,
  }),
]

/** Two lists as one, with the options of both once. */
function withoutTwice(one: string, other: string): string {
  return [...new Set(`${one} ${other}`.split(/\s+/))].join(' ')
}
