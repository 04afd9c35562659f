import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROMPT_FILE_LIMITS } from '../../../src/config/fixed-values.ts'
import { APP_COMMANDS } from '../../../src/faces/tui/commands/command-list.ts'
import { BUILT_IN_NAMES } from '../../../src/runtime/commands/built-in-names.ts'
import { findCommands, trustCommands } from '../../../src/runtime/commands/find-commands.ts'
import { bench } from '../../bench-folder.ts'

/** A project and a home, with these files as commands of the user. */
function openPlaces(own: Readonly<Record<string, string | Uint8Array>> = {}) {
  const { top, root, stateDir, put } = bench()
  const config = join(top, 'config')
  const ownFolder = join(config, 'tongs', 'commands')
  const putOwn = (name: string, data: string | Uint8Array): string => {
    const path = join(ownFolder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, data)
    return path
  }
  for (const [name, data] of Object.entries(own)) putOwn(name, data)
  const places = { root, stateDir, env: { HOME: top, XDG_CONFIG_HOME: config } }
  return {
    top,
    root,
    stateDir,
    ownFolder,
    put: (name: string, data: string) => put(`.tongs/commands/${name}`, data),
    putOwn,
    find: () => findCommands(places),
    names: () => findCommands(places).usable.map(({ name }) => name),
    whyNot: (name: string) => findCommands(places).unusable.find((one) => one.name === name)?.why ?? null,
    trust: () => trustCommands({ ...places, witness: '' }),
  }
}

describe('commands in the folder of the user', () => {
  it('are files, and folders give names of several parts', () => {
    const { find } = openPlaces({
      'review.md': '---\ndescription: Review the changes\nargument-hint: "[FILE]"\n---\n\nReview $1.\n',
      'git/message.md': '# Write a commit message\n\nLook at the diff.\n',
      'notes.txt': 'not a command',
      '.hidden.md': 'not a command',
    })
    expect(find()).toEqual({
      usable: [
        {
          name: 'git:message',
          description: 'Write a commit message',
          argumentHint: '',
          from: 'user',
          path: expect.stringMatching(/commands\/git\/message\.md$/),
          text: '# Write a commit message\n\nLook at the diff.',
        },
        expect.objectContaining({
          name: 'review',
          description: 'Review the changes',
          argumentHint: '[FILE]',
          text: 'Review $1.',
        }),
      ],
      unusable: [],
    })
  })

  it('are read anew each time', () => {
    const { putOwn, names } = openPlaces()
    expect(names()).toEqual([])
    const path = putOwn('later.md', 'Later.')
    expect(names()).toEqual(['later'])
    rmSync(path)
    expect(names()).toEqual([])
  })

  it.for([
    ['an odd name', 'two words.md', 'Go.', 'two words', /its name may have only/],
    ['a name with a colon', 'a:b.md', 'Go.', 'a:b', /its name may have only/],
    ['an escape in its name', 'a\u001b[31mb.md', 'Go.', 'ab', /its name may have only/],
    ['a letter that only looks like a', '\u0430.md', 'Go.', '\u0430', /its name may have only/],
    [
      'too much text',
      'huge.md',
      'x'.repeat(PROMPT_FILE_LIMITS.fileBytes + 1),
      'huge',
      /more than 65536 bytes/,
    ],
    ['no text', 'none.md', '---\ndescription: x\n---\n \n', 'none', /has no text/],
    ['no end of its front matter', 'open.md', '---\ndescription: x\nGo.\n', 'open', /does not end/],
    ['a value of several lines', 'long.md', '---\ndescription: >\n  x\n---\nGo.', 'long', /not on one line/],
    ['hidden characters', 'sly.md', 'Go.\u202e Obey.', 'sly', /a screen does not show/],
    ['the name of a command of the app', 'undo.md', 'Go.', 'undo', /command of the app/],
    ['such a name in upper case', 'Undo.md', 'Go.', 'Undo', /command of the app/],
  ] as const)('a file with %s is named with the reason, and the others work', ([, file, data, name, why]) => {
    const { names, whyNot } = openPlaces({ 'fine.md': 'Fine.', [file]: data })
    expect(names()).toEqual(['fine'])
    expect(whyNot(name)).toMatch(why)
  })

  it('a file that is not UTF-8 is named, and the others work', () => {
    const { names, whyNot } = openPlaces({
      'fine.md': 'Fine.',
      'latin.md': new Uint8Array([0x47, 0xe9, 0x21]),
    })
    expect(names()).toEqual(['fine'])
    expect(whyNot('latin')).toBe('it is not UTF-8 text')
  })

  it('a link, a pipe and a folder that is a link are not read', () => {
    const { top, putOwn, ownFolder, names, whyNot } = openPlaces({ 'fine.md': 'Fine.' })
    writeFileSync(join(top, 'secret.md'), 'A secret.')
    symlinkSync(join(top, 'secret.md'), join(ownFolder, 'linked.md'))
    execFileSync('mkfifo', [join(ownFolder, 'pipe.md')])
    putOwn('real/one.md', 'One.')
    symlinkSync(join(ownFolder, 'real'), join(ownFolder, 'alias'))
    expect(names()).toEqual(['fine', 'real:one'])
    expect(whyNot('linked')).toMatch(/it is a link/)
    expect(whyNot('pipe')).toMatch(/not a regular file/)
    renameSync(ownFolder, join(top, 'moved'))
    symlinkSync(join(top, 'moved'), ownFolder)
    expect(names()).toEqual([])
    expect(whyNot('')).toMatch(/it is a link/)
  })

  it('a description is one short line without escapes', () => {
    const { find } = openPlaces({
      'loud.md': `---\ndescription: \u001b[31mred\u001b[0m \u202e${'x'.repeat(500)}\nargument-hint: '\u0007A'\n---\nGo.`,
    })
    const [loud] = find().usable
    expect(loud?.description).toMatch(/^red \\u\{202E\}x+…$/)
    expect(loud?.description.length).toBe(PROMPT_FILE_LIMITS.shownChars)
    expect(loud?.argumentHint).toBe(String.raw`\u{7}A`)
  })

  it('too many files and folders that are too deep are left out, and that is said', () => {
    const { putOwn, names, whyNot } = openPlaces({ 'a/b/c/d/fine.md': 'Fine.', 'a/b/c/d/e/deep.md': 'Deep.' })
    expect(names()).toEqual(['a:b:c:d:fine'])
    expect(whyNot('a:b:c:d:e')).toMatch(/too deep/)
    for (let at = 0; at < PROMPT_FILE_LIMITS.files; at += 1) putOwn(`n${at}.md`, 'Go.')
    expect(names().length).toBeLessThan(PROMPT_FILE_LIMITS.files)
    expect(whyNot('')).toMatch(/more than 200/)
  })
})

describe('commands of the project', () => {
  it('count only while they are exactly as they were trusted', () => {
    const { put, names, whyNot, find, trust } = openPlaces()
    put('build.md', 'Build it.')
    expect(names()).toEqual([])
    expect(whyNot('build')).toMatch(/not trusted as they are now.*tongs trust/)
    expect(trust()).toEqual([expect.stringMatching(/build\.md$/)])
    expect(find().usable).toEqual([expect.objectContaining({ name: 'build', from: 'project' })])
    put('build.md', 'Build it, and more.')
    expect(names()).toEqual([])
    put('build.md', 'Build it.')
    expect(names()).toEqual(['build'])
    put('new.md', 'New.')
    expect(names()).toEqual([])
  })

  it('are not trusted where the list of what is trusted cannot be read, and those of the user work', () => {
    const { put, names, whyNot, trust, stateDir } = openPlaces({ 'mine.md': 'Mine.' })
    put('build.md', 'Build it.')
    trust()
    rmSync(join(stateDir, 'trust.json'))
    mkdirSync(join(stateDir, 'trust.json'))
    expect(names()).toEqual(['mine'])
    expect(whyNot('build')).toMatch(/not trusted/)
  })

  it('yield to those of the user and of the app', () => {
    const { put, find, whyNot, trust } = openPlaces({ 'build.md': 'My build.' })
    put('build.md', 'Their build.')
    put('quit.md', 'Do not quit.')
    trust()
    expect(find().usable.map(({ text }) => text)).toEqual(['My build.'])
    expect(whyNot('build')).toMatch(/your own \/build is used instead/)
    expect(whyNot('quit')).toMatch(/command of the app/)
  })

  it.for(['.tongs', '.tongs/commands'])('are not read through a link at %s', (place) => {
    const { top, root, put, names, whyNot, trust } = openPlaces()
    put('build.md', 'Build it.')
    trust()
    expect(names()).toEqual(['build'])
    renameSync(join(root, place), join(top, 'moved'))
    symlinkSync(join(top, 'moved'), join(root, place))
    expect([names(), trust()]).toEqual([[], []])
    expect(whyNot('')).toMatch(/it is a link, behind a link/)
  })
})

it('the reserved names are those of the app', () => {
  expect(BUILT_IN_NAMES.toSorted()).toEqual(APP_COMMANDS.map(({ name }) => name).toSorted())
})
