import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROMPT_FILE_LIMITS } from '../../../src/config/fixed-values.ts'
import { trustPrompts } from '../../../src/runtime/prompt-files/find-prompt-files.ts'
import { findRoles } from '../../../src/runtime/roles/find-roles.ts'
import { bench } from '../../bench-folder.ts'

/** A project and a home, with these files as roles of the user. */
function openPlaces(own: Readonly<Record<string, string>> = {}) {
  const { top, root, stateDir, put } = bench()
  const config = join(top, 'config')
  const ownFolder = join(config, 'tongs', 'roles')
  mkdirSync(ownFolder, { recursive: true })
  for (const [name, data] of Object.entries(own)) {
    mkdirSync(dirname(join(ownFolder, name)), { recursive: true })
    writeFileSync(join(ownFolder, name), data)
  }
  const places = { root, stateDir, env: { HOME: top, XDG_CONFIG_HOME: config } }
  return {
    top,
    ownFolder,
    put: (name: string, data: string) => put(`.tongs/roles/${name}`, data),
    find: () => findRoles(places),
    names: () => findRoles(places).usable.map(({ name }) => name),
    whyNot: (name: string) => findRoles(places).unusable.find((one) => one.name === name)?.why ?? null,
    trust: () => trustPrompts({ ...places, witness: '' }, 'roles'),
  }
}

describe('a role', () => {
  it('is a file with instructions, and may name tools and a model', () => {
    const { find } = openPlaces({
      'reader.md':
        '---\ndescription: Looks around\ntools: [read_file, "search"]\nmodel: anthropic/small\n---\nLook.\n',
      'git/helper.md': 'Help with git.\n',
      'mute.md': '---\ntools:\n---\nSay nothing.\n',
    })
    expect(find().unusable).toEqual([])
    expect(find().usable).toMatchObject([
      { name: 'git:helper', tools: null, model: null, text: 'Help with git.', from: 'user' },
      { name: 'mute', tools: [] },
      {
        name: 'reader',
        tools: ['read_file', 'search'],
        model: 'anthropic/small',
        description: 'Looks around',
      },
    ])
  })

  it.for([
    ['an odd name', 'two words.md', 'Go.', 'two words', /its name may have only/],
    ['no text', 'empty.md', '---\ntools: glob\n---\n', 'empty', /it has no text/],
    ['hidden characters', 'hidden.md', 'Do \u202ethis.', 'hidden', /characters that a screen does not show/],
    ['an odd tool', 'odd.md', '---\ntools: read_file, rm -rf\n---\nGo.', 'odd', /not the name of a tool/],
    [
      'an odd model',
      'where.md',
      '---\nmodel: https://evil.example/x?y\n---\nGo.',
      'where',
      /model is not a name/,
    ],
    [
      'a front matter without an end',
      'open.md',
      '---\ntools: glob\nGo.',
      'open',
      /front matter does not end/,
    ],
    ['too many bytes', 'huge.md', 'x'.repeat(PROMPT_FILE_LIMITS.fileBytes + 1), 'huge', /./],
  ] as const)('with %s is named and not used', ([, file, text, name, why]) => {
    const { names, whyNot } = openPlaces({ [file]: text, 'good.md': 'Go.' })
    expect(names()).toEqual(['good'])
    expect(whyNot(name)).toMatch(why)
  })

  it.each([
    ['no blank behind its colon', 'tools:read_file'],
    ['a blank before its colon', 'tools : read_file'],
    ['quotes', '"tools": read_file'],
    ['a capital', 'Tools: read_file'],
    ['a second line', 'tools: read_file\ntools: read_file, write_file'],
  ])('whose tools have %s is named and not used, because it would have all of them', (_, line) => {
    const { names, whyNot } = openPlaces({
      'odd.md': `---\n${line}\n---\nLook.`,
      'good.md': '---\n# mine\ntools: read_file\n---\nGo.',
    })
    expect(names()).toEqual(['good'])
    expect(whyNot('odd')).toMatch(/front matter has/)
  })

  it('is not read from a pipe or through a link', () => {
    const { top, ownFolder, names, whyNot } = openPlaces({ 'good.md': 'Go.' })
    execFileSync('mkfifo', [join(ownFolder, 'pipe.md')])
    writeFileSync(join(top, 'elsewhere.md'), 'Go elsewhere.')
    symlinkSync(join(top, 'elsewhere.md'), join(ownFolder, 'link.md'))
    expect(names()).toEqual(['good'])
    expect(whyNot('pipe')).not.toBeNull()
    expect(whyNot('link')).not.toBeNull()
  })

  it('of a project counts only while the files are exactly as they were trusted', () => {
    const { put, names, whyNot, trust } = openPlaces({ 'mine.md': 'Mine.' })
    put('theirs.md', 'Theirs.')
    put('mine.md', 'Not mine.')
    expect(names()).toEqual(['mine'])
    expect(whyNot('theirs')).toContain('not trusted')
    trust()
    expect(names()).toEqual(['mine', 'theirs'])
    expect(whyNot('mine')).toContain('your own role mine is used instead')
    put('theirs.md', 'Theirs, and more.')
    expect(names()).toEqual(['mine'])
  })
})
