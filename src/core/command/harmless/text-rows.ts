import { defineRow } from './grammar.ts'
import type { HarmlessRow } from './grammar.ts'

const PATHS = { operands: ['text'], most: Infinity } as const

/** Programs that search and reshape text, and those that print facts, with the options that keep it at that. */
export const TEXT_ROWS: readonly HarmlessRow[] = [
  defineRow('grep', {
    options: `-# -i --ignore-case --no-ignore-case -v --invert-match -w --word-regexp -x --line-regexp -c --count -l
      --files-with-matches -L --files-without-match -n --line-number -o --only-matching -h --no-filename -H
      --with-filename -q --quiet --silent -s --no-messages -E --extended-regexp -F --fixed-strings -G --basic-regexp -P
      --perl-regexp -r --recursive -R --dereference-recursive -a --text -I -U --binary -z --null-data -Z --null -b
      --byte-offset -T --initial-tab -e=text --regexp=text -m=number --max-count=number -A=number
      --after-context=number -B=number --before-context=number -C=number --context=number --include=text --exclude=text
      --exclude-dir=text --color[=word] --colour[=word] --binary-files=word --line-buffered --label=text`,
    ...PATHS,
  }),
  // --pre and --hostname-bin run programs, and -z runs decompressors.
  defineRow('rg', {
    options: `-i --ignore-case -s --case-sensitive -S --smart-case -v --invert-match -w --word-regexp -x --line-regexp -c
      --count --count-matches -l --files-with-matches --files-without-match -n --line-number -N --no-line-number
      --column --no-column -o --only-matching -H --with-filename -I --no-filename -F --fixed-strings -P --pcre2 -U
      --multiline --multiline-dotall -0 --null -a --text -q --quiet -L --follow -u --hidden --no-hidden --no-ignore
      --no-ignore-vcs --files --type-list --json --vimgrep --stats --heading --no-heading --trim --no-config
      --no-messages --one-file-system -g=text --glob=text --iglob=text -t=word --type=word -T=word --type-not=word
      -e=text --regexp=text -A=number --after-context=number -B=number --before-context=number -C=number
      --context=number -m=number --max-count=number -M=number --max-columns=number -d=number --max-depth=number
      --max-filesize=word --sort=word --sortr=word --color=word -r=text --replace=text -j=number --threads=number`,
    ...PATHS,
  }),
  // -o writes, -T names a folder to write to, and --compress-program runs one.
  defineRow('sort', {
    options: `-b --ignore-leading-blanks -d --dictionary-order -f --ignore-case -g --general-numeric-sort -h
      --human-numeric-sort -i --ignore-nonprinting -M --month-sort -n --numeric-sort -r --reverse -R --random-sort -V
      --version-sort -c --check[=word] -C -m --merge -s --stable -u --unique -z --zero-terminated -k=word --key=word
      -t=text --field-separator=text`,
    ...PATHS,
  }),
  // The second operand is written.
  defineRow('uniq', {
    options: `-c --count -d --repeated -D --all-repeated[=word] -i --ignore-case -u --unique -z --zero-terminated
      -f=number --skip-fields=number -s=number --skip-chars=number -w=number --check-chars=number --group[=word]`,
    operands: ['text'],
  }),
  defineRow('cut', {
    options: `-b=word -c=word -f=word --bytes=word --characters=word --fields=word -d=text --delimiter=text -s
      --only-delimited --complement -z --zero-terminated --output-delimiter=text`,
    ...PATHS,
  }),
  defineRow('tr', {
    options: '-c -C --complement -d --delete -s --squeeze-repeats -t --truncate-set1',
    operands: ['text'],
    most: 2,
  }),
  defineRow('comm', {
    options: '-1 -2 -3 -z --check-order --nocheck-order --total',
    operands: ['text'],
    most: 2,
  }),
  defineRow('paste', { options: '-d=text --delimiters=text -s --serial -z --zero-terminated', ...PATHS }),
  defineRow('fold', { options: '-b --bytes -s --spaces -w=number --width=number', ...PATHS }),
  // -l runs another program.
  defineRow('diff', {
    options: `-u -U=number --unified[=number] -c -C=number --context[=number] -r --recursive -N --new-file -q --brief -s
      --report-identical-files -i --ignore-case -w --ignore-all-space -b --ignore-space-change -B --ignore-blank-lines -E
      -Z -a --text -y --side-by-side -W=number --width=number --suppress-common-lines -t --expand-tabs -T -p
      --show-c-function -d --minimal --color[=word] --no-dereference --strip-trailing-cr -x=text --exclude=text
      --label=text`,
    operands: ['text'],
    most: 2,
  }),
  defineRow('cmp', {
    options: '-b --print-bytes -l --verbose -s --quiet --silent -n=number --bytes=number',
    operands: ['text'],
    most: 2,
  }),
  // Any other command of its language may write or run.
  defineRow('sed', {
    options: '-n --quiet --silent -s --separate -u',
    operands: ['lines', 'text'],
    most: Infinity,
  }),
  defineRow('echo', { operands: ['anything'], most: Infinity }),
  // Without the plus an operand sets the clock, as -s does.
  defineRow('date', {
    options: `-u --utc --universal -R --rfc-email -I[=word] --iso-8601[=word] --rfc-3339=word -d=text --date=text -r=text
      --reference=text`,
    operands: ['dateFormat'],
  }),
  defineRow('uname', { options: '-a --all -s -n -r -v -m -p -i -o' }),
  defineRow('pwd', { options: '-L -P' }),
  defineRow('whoami'),
  defineRow('id', { options: '-u --user -g --group -G --groups -n --name -r --real' }),
  defineRow('nproc', { options: '--all' }),
  defineRow('which', { options: '-a', operands: ['word'], most: Infinity }),
]
