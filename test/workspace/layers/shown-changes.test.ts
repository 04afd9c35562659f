import { describe, expect, it } from 'vitest'
import { benchWith } from './bench-with.ts'

describe('the diff of what a command changed', () => {
  it('shows texts line by line, and everything else in a line of its own', async () => {
    const bench = benchWith(
      'printf "one\\ntwo\\n" >a; echo x >b; ln -s a l; ln -s a m; mkdir d; printf "\\000" >bin; echo 1 >p; chmod 644 p',
      'printf "one\\n2\\n" >a; rm b; ln -sfn b l; rm m; rmdir d; printf "\\000\\001" >bin; chmod 755 p; touch e; mkdir n; head -c 70000 /dev/zero | tr "\\0" x >big; ln -s e k; echo run >n/s; chmod 700 n/s',
    )
    const { diff } = await bench.read()
    expect(diff).toBe(
      [
        '--- a/a',
        '+++ b/a',
        '@@ -1,2 +1,2 @@',
        ' one',
        '-two',
        '+2',
        '--- a/b',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-x',
        'File created: big (68 KiB, not shown)',
        'File changed: bin (1 byte → 2 bytes, not shown)',
        'Folder removed: d',
        'Empty file created: e',
        'Link created: k → e',
        'Link changed: l → b (was a)',
        'Link removed: m → a',
        'Folder created: n',
        'Mode of n/s: 700',
        '--- /dev/null',
        '+++ b/n/s',
        '@@ -0,0 +1 @@',
        '+run',
        'Mode of p: 644 → 755',
        '',
      ].join('\n'),
    )
  })

  it('shows the mode of something new that every user may change', async () => {
    const { diff } = await benchWith('true', 'mkdir -m 777 d; echo 1 >f; chmod 666 f').read()
    expect(diff).toContain('Mode of d: 777\n')
    expect(diff).toContain('Mode of f: 666\n')
  })

  it('only counts removed files if there are many', async () => {
    const bench = benchWith(
      'mkdir -p d/e; for i in $(seq 30); do echo $i >d/e/$i; done; echo 1 >a',
      'rm -r d; echo 2 >a',
    )
    const { diff, shown } = await bench.read()
    expect(diff).toMatch(/^Removed: 30 files in d\n--- a\/a\n/)
    expect(shown).toHaveLength(31)
  })

  it('names what it has no room for, and shows what is small beside it', async () => {
    const bench = benchWith(
      'for i in 1 2; do yes old | head -c 60000 >$i; done; echo 1 >z',
      'for i in 1 2 3 4 5 6; do head -c 60000 /dev/zero | tr "\\0" x >$i; done; echo 2 >z; chmod 755 3',
    )
    const { diff, hunks } = await bench.read()
    expect(diff.length).toBeLessThan(263_000)
    expect(diff).toMatch(/^--- a\/1\n/)
    expect(diff).toContain('File created: 6 (59 KiB, not shown)\n')
    expect(diff).toContain('Mode of 3: 755\n')
    expect(diff).toContain('--- a/z\n+++ b/z\n@@ -1 +1 @@\n-1\n+2\n')
    expect(diff).toMatch(/The diff would be too long: [23] of 7 changes are only named\.\n$/)
    expect(hunks).toBeNull()
  })

  it('is not used up by one large file', async () => {
    const bench = benchWith(
      'true',
      'for i in 1 2 3 4 5; do seq 9000 >.$i; done; echo evil >Makefile; echo x >z',
    )
    const { diff } = await bench.read()
    for (const row of ['+++ b/Makefile\n@@ -0,0 +1 @@\n+evil\n', '+++ b/z\n']) expect(diff).toContain(row)
  })

  it('is cut if there is no room for the names either, and says how much is missing', async () => {
    const bench = benchWith(
      'true',
      'n=$(head -c 240 /dev/zero | tr "\\0" n); seq 4000 | while read i; do echo 1 >$n$i; done',
    )
    const { diff, hunks } = await bench.read()
    expect(diff.length).toBeLessThan(400_000)
    expect(diff).toMatch(/The diff is cut here: [12]\d{3} more changes are not shown\.\n$/)
    expect(hunks).toBeNull()
  })

  it('shows no name that could mislead a terminal', async () => {
    const { diff, shown } = await benchWith('true', `touch "$(printf 'a\\033[2Jb')"`).read()
    expect(diff).toBe('Empty file created: "a\\u001b[2Jb"\n')
    expect(shown).toHaveLength(1)
  })
})

describe('the texts that are checked', () => {
  it('are those that would land, with what they replace', async () => {
    const bench = benchWith(
      'echo 1 >a; echo 2 >gone',
      'echo 3 >a; echo 4 >n; rm gone; printf "\\000" >bin; echo s >.env',
    )
    const { contents } = await bench.read()
    const textOf = (bytes: Uint8Array | null): string | null =>
      bytes === null ? null : Buffer.from(bytes).toString()
    expect(contents.map(({ path, before, after }) => [path, textOf(before), textOf(after)])).toEqual([
      ['a', '1\n', '3\n'],
      ['n', null, '4\n'],
    ])
    expect(contents[0]?.absolute).toBe(`${bench.root}/a`)
  })
})
