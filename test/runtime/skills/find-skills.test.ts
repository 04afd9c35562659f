import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SKILL_LIMITS } from '../../../src/config/fixed-values.ts'
import { findSkills, trustSkills } from '../../../src/runtime/skills/find-skills.ts'
import { isBuiltIn } from '../../../src/tools/built-in.ts'
import { bench } from '../../bench-folder.ts'

/** The file of a skill. */
export const skillText = (name: string, description = `Does ${name}`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# How\n\nDo it.\n`

/** A project and a home, with these skills of the user. */
function openPlaces(own: Readonly<Record<string, string | Uint8Array>> = {}) {
  const { top, root, stateDir, put } = bench()
  const userFolder = join(top, 'config', 'tongs')
  const putOwn = (name: string, data: string | Uint8Array): string => {
    const path = join(userFolder, 'skills', name, 'SKILL.md')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, data)
    return path
  }
  for (const [name, data] of Object.entries(own)) putOwn(name, data)
  const places = { root, stateDir, userFolder, isTool: isBuiltIn }
  return {
    top,
    root,
    ownFolder: join(userFolder, 'skills'),
    put: (place: string, data: string) => put(`${place}/SKILL.md`, data),
    putOwn,
    find: () => findSkills(places),
    names: () => findSkills(places).usable.map(({ name }) => name),
    whyNot: (name: string) => findSkills(places).unusable.find((one) => one.name === name)?.why ?? null,
    trust: () => trustSkills({ ...places, witness: '' }),
  }
}

describe('skills of the user', () => {
  it('are folders with a file that names and describes them', () => {
    const { find, ownFolder } = openPlaces({ 'pdf-forms': skillText('pdf-forms') })
    mkdirSync(join(ownFolder, 'no-skill'))
    writeFileSync(join(ownFolder, 'README.md'), 'not a skill')
    expect(find()).toEqual({
      usable: [
        {
          name: 'pdf-forms',
          description: 'Does pdf-forms',
          from: 'user',
          folder: join(ownFolder, 'pdf-forms'),
          readAs: 'tongs:skills/pdf-forms/SKILL.md',
        },
      ],
      unusable: [],
    })
  })

  it.for([
    ['in quotes', '"Fills forms: all of them"', 'Fills forms: all of them'],
    ['folded', '>-\n  Fills forms.\n  Use it for PDF.', 'Fills forms. Use it for PDF.'],
    ['going on in the next line', 'Fills forms.\n  Use it for PDF.', 'Fills forms. Use it for PDF.'],
  ] as const)('take a description %s', ([, written, read]) => {
    const { find } = openPlaces({ a: skillText('a', `${written}\nlicense: MIT\nmetadata:\n  by: me`) })
    expect(find().usable.map(({ description }) => description)).toEqual([read])
  })

  it.for([
    ['an odd name', 'Two Words', skillText('Two Words'), 'Two Words', /its name may have only/],
    ['a name turned around', 'a\u202eb', skillText('a'), 'a\\u{202E}b', /its name may have only/],
    ['another name in its file', 'a', skillText('b'), 'a', /not that of its folder/],
    ['the name of a tool', 'search', skillText('search'), 'search', /name of a tool/],
    ['no description', 'a', '---\nname: a\n---\nText.', 'a', /no description/],
    ['no front matter', 'a', 'Text.', 'a', /not that of its folder/],
    ['no text', 'a', '---\nname: a\ndescription: b\n---\n', 'a', /no text/],
    ['too much text', 'a', skillText('a') + 'x'.repeat(SKILL_LIMITS.fileBytes), 'a', /more than 65536 bytes/],
    ['too long a description', 'a', skillText('a', 'x'.repeat(1_025)), 'a', /longer than 1024/],
    ['a description turned around', 'a', skillText('a', 'Safe \u202e evil'), 'a', /a screen does not show/],
    ['hidden characters', 'a', `${skillText('a')}\u200b`, 'a', /a screen does not show/],
    ['bytes that are not text', 'a', new Uint8Array([0xff, 0xfe]), 'a', /not UTF-8/],
  ] as const)('with %s are named with the reason, and the others work', ([, folder, data, name, why]) => {
    const { names, whyNot } = openPlaces({ fine: skillText('fine'), [folder]: data })
    expect(names()).toEqual(['fine'])
    expect(whyNot(name)).toMatch(why)
  })

  it('are not read through a link or from a pipe', () => {
    const { top, ownFolder, putOwn, names, whyNot } = openPlaces({ fine: skillText('fine') })
    mkdirSync(join(top, 'out'))
    writeFileSync(join(top, 'out', 'SKILL.md'), skillText('out'))
    symlinkSync(join(top, 'out'), join(ownFolder, 'out'))
    mkdirSync(join(ownFolder, 'linked'))
    symlinkSync(join(top, 'out', 'SKILL.md'), join(ownFolder, 'linked', 'SKILL.md'))
    mkdirSync(join(ownFolder, 'pipe'))
    execFileSync('mkfifo', [join(ownFolder, 'pipe', 'SKILL.md')])
    expect(names()).toEqual(['fine'])
    expect([whyNot('out'), whyNot('linked'), whyNot('pipe')]).toEqual([
      expect.stringMatching(/it is a link/),
      expect.stringMatching(/SKILL\.md: it is a link/),
      expect.stringMatching(/not a regular file/),
    ])
    putOwn('more', skillText('more'))
    renameSync(ownFolder, join(top, 'moved'))
    symlinkSync(join(top, 'moved'), ownFolder)
    expect([names(), whyNot('')]).toEqual([[], expect.stringMatching(/it is a link/)])
  })

  it('are only so many, and that is said', () => {
    const { putOwn, names, whyNot } = openPlaces()
    for (let at = 0; at <= SKILL_LIMITS.folders; at += 1) putOwn(`n${at}`, skillText(`n${at}`))
    expect(names()).toHaveLength(SKILL_LIMITS.folders)
    expect(whyNot('')).toMatch(/more than 200 names/)
  })
})

describe('skills of a project', () => {
  it('count only while all of them are exactly as they were trusted', () => {
    const { put, find, names, whyNot, trust } = openPlaces()
    put('.claude/skills/build', skillText('build'))
    put('.tongs/skills/test', skillText('test'))
    expect(names()).toEqual([])
    expect(whyNot('build')).toMatch(/not trusted as they are now.*tongs trust/)
    expect(trust()).toHaveLength(2)
    expect(find().usable.map(({ readAs }) => readAs)).toEqual([
      '.claude/skills/build/SKILL.md',
      '.tongs/skills/test/SKILL.md',
    ])
    put('.agents/skills/more', skillText('more'))
    expect(names()).toEqual([])
  })

  it('moved to another folder, or with another text, are not trusted', () => {
    const { root, put, names, trust } = openPlaces()
    put('.claude/skills/build', skillText('build'))
    trust()
    expect(names()).toEqual(['build'])
    renameSync(join(root, '.claude'), join(root, '.agents'))
    expect(names()).toEqual([])
    renameSync(join(root, '.agents'), join(root, '.claude'))
    put('.claude/skills/build', skillText('build', 'Does more'))
    expect(names()).toEqual([])
  })

  it('yield to those of the user', () => {
    const { put, find, whyNot, trust } = openPlaces({ build: skillText('build', 'Mine') })
    put('.tongs/skills/build', skillText('build', 'Theirs'))
    trust()
    expect(find().usable.map(({ description }) => description)).toEqual(['Mine'])
    expect(whyNot('build')).toMatch(/used instead/)
  })

  it.for(['.claude', '.claude/skills'])('are not read through a link at %s', (place) => {
    const { top, root, put, names, whyNot, trust } = openPlaces()
    put('.claude/skills/build', skillText('build'))
    trust()
    renameSync(join(root, place), join(top, 'moved'))
    symlinkSync(join(top, 'moved'), join(root, place))
    expect([names(), trust()]).toEqual([[], []])
    expect(whyNot('')).toMatch(/it is a link, behind a link/)
  })
})
