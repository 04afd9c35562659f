import { describe, expect, it } from 'vitest'
import { beginsWithFile, findNamedFiles } from '../../../src/core/attachment/named-files.ts'

describe('the files that a prompt attaches', () => {
  it.for([
    ['what is in @shot.png?', ['shot.png']],
    ['compare @a/b.JPG, @c.webp and (@d.gif)', ['a/b.JPG', 'c.webp', 'd.gif']],
    ['@"my shot.png" and @\'o k.pdf\'', ['my shot.png', 'o k.pdf']],
    ['/home/ada/my\\ shot\\ (1).png please', ['/home/ada/my shot (1).png']],
    ["'/home/ada/my shot.png' please", ['/home/ada/my shot.png']],
    ['[shot](file:///home/ada/my%20shot.png)', ['/home/ada/my shot.png']],
    ['see [a](file:///r/a.png)[b](file:///r/b.png), thanks', ['/r/a.png', '/r/b.png']],
    ['file:///%zz.png', []],
    ['@shot.png @shot.png', ['shot.png']],
    ['draw logo.png, and mail it to ada@shot.png', []],
    ['look at @src/a.ts and @types/node', []],
    ['write to /tmp/notes.txt', []],
    ['', []],
  ] as const)('%s', ([text, files]) => {
    expect(findNamedFiles(text)).toEqual(files)
  })

  it('a dragged file at the beginning is not a command', () => {
    expect(beginsWithFile('/home/ada/shot.png what is this?')).toBe(true)
    expect(beginsWithFile('/home/ada/my\\ shot.png what is this?')).toBe(true)
    expect(beginsWithFile('/compact keep /home/ada/shot.png')).toBe(false)
    expect(beginsWithFile('/init')).toBe(false)
  })

  it('takes no time for words without an end', () => {
    expect(findNamedFiles(`@${'\\'.repeat(100_000)}`)).toEqual([])
    expect(findNamedFiles(`@${'a.png,'.repeat(50_000)}`)).toHaveLength(1)
    expect(findNamedFiles('"'.repeat(100_001))).toEqual([])
  })
})
