import { defineRow } from './grammar.ts'
import type { HarmlessRow } from './grammar.ts'

const PATHS = { operands: ['text'], most: Infinity } as const

const DIGEST = {
  options:
    '-b --binary -t --text -c --check -z --zero --tag --quiet --status --strict --ignore-missing -w --warn',
  ...PATHS,
}

/** Programs that print files and folders, with the options that keep it at that. */
export const FILE_ROWS: readonly HarmlessRow[] = [
  defineRow('ls', {
    options: `-a --all -A --almost-all -b -B -c -C -d --directory -f -F -g -G --no-group -h --human-readable --si -H -i
      --inode -I=text --ignore=text --hide=text -k -l -L --dereference -m -n --numeric-uid-gid -N --literal -o -p -q -Q
      --quote-name -r --reverse -R --recursive -s --size -S -t -u -U -v -x -X -1 -Z --color[=word] --classify[=word]
      --file-type --format=word --full-time --group-directories-first --hyperlink[=word] --indicator-style=word
      --sort=word --time=word --time-style=text --quoting-style=word -w=number --width=number --zero --block-size=word`,
    ...PATHS,
  }),
  defineRow('cat', {
    options:
      '-A --show-all -b --number-nonblank -e -E --show-ends -n --number -s --squeeze-blank -t -T --show-tabs -u -v',
    ...PATHS,
  }),
  defineRow('head', {
    options:
      '-# -n=signed --lines=signed -c=signed --bytes=signed -q --quiet --silent -v --verbose -z --zero-terminated',
    ...PATHS,
  }),
  // Following a file never ends, so -f, -F and +1f are left out.
  defineRow('tail', {
    options:
      '-# -n=signed --lines=signed -c=signed --bytes=signed -q --quiet --silent -v --verbose -z --zero-terminated',
    operands: ['unsigned'],
    most: Infinity,
  }),
  defineRow('wc', {
    options: '-c --bytes -m --chars -l --lines -L --max-line-length -w --words --total=word',
    ...PATHS,
  }),
  defineRow('nl', { options: '-b=text -n=word -w=number -s=text -v=number -i=number', ...PATHS }),
  defineRow('stat', {
    options: '-L --dereference -f --file-system -t --terse -c=text --format=text --printf=text',
    ...PATHS,
  }),
  // -z runs decompressors, -C writes, and -p sets times.
  defineRow('file', {
    options: `-b --brief -i --mime --mime-type --mime-encoding -L --dereference -h --no-dereference -k --keep-going -N
      --no-pad -r --raw -0 --print0`,
    ...PATHS,
  }),
  defineRow('du', {
    options: `-a --all -s --summarize -h --human-readable -c --total -d=number --max-depth=number -k -m -b --bytes
      --apparent-size -x --one-file-system -S --separate-dirs -L -D -l -0 --null --si -t=signed --threshold=signed
      --exclude=text --time[=word] --time-style=text --inodes -B=word --block-size=word`,
    ...PATHS,
  }),
  defineRow('df', {
    options: `-a --all -h --human-readable -H --si -i --inodes -k -l --local -P --portability -T --print-type -t=word
      --type=word -x=word --exclude-type=word --total --output[=word] -B=word --block-size=word`,
    ...PATHS,
  }),
  // Each option is a word, because tree takes the values of joined letters from the words that follow; -o and -R write.
  defineRow('tree', {
    style: 'words',
    options: `-a -d -f -i -L=number -P=text -I=text --dirsfirst --filesfirst -h -s -D -F -C -n -J -X -p -u -g -x -r -t -v
      --noreport --prune --gitignore --du --si`,
    ...PATHS,
  }),
  defineRow('basename', { options: '-a --multiple -s=text --suffix=text -z --zero', ...PATHS }),
  defineRow('dirname', { options: '-z --zero', ...PATHS }),
  defineRow('realpath', {
    options:
      '-e --canonicalize-existing -m --canonicalize-missing -s --no-symlinks -L -P -q -z --relative-to=text',
    ...PATHS,
  }),
  defineRow('readlink', { options: '-f -e -m -n -q -s -v -z --canonicalize --no-newline', ...PATHS }),
  ...['sha256sum', 'sha1sum', 'sha224sum', 'sha384sum', 'sha512sum', 'md5sum', 'b2sum'].map((program) =>
    defineRow(program, DIGEST),
  ),
  defineRow('cksum', PATHS),
  // Only tests and printing: -exec, -ok, -delete, -fprint, -fls and -files0-from run, write or take lists.
  defineRow('find', {
    style: 'words',
    options: `-L -H -P -name=text -iname=text -path=text -ipath=text -wholename=text -regex=text -iregex=text -lname=text
      -type=word -xtype=word -maxdepth=number -mindepth=number -size=signed -empty -newer=text -mtime=signed -mmin=signed
      -atime=signed -amin=signed -ctime=signed -cmin=signed -perm=text -user=word -group=word -uid=signed -gid=signed
      -links=signed -inum=signed -samefile=text -readable -writable -executable -nouser -nogroup -true -false -not -o -or
      -a -and -prune -depth -xdev -mount -daystart -print -print0 -printf=text -ls -quit`,
    ...PATHS,
  }),
]
