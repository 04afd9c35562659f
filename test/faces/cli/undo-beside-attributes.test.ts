import { Buffer } from 'node:buffer'
import { appendFileSync, chownSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createWithAttributes } from '../../../src/host/fs/attributes.ts'
import { writeArchive } from '../../../src/host/fs/pax.ts'
import { listOf } from '../../harness/access-lists.ts'
import { attributesOf } from '../../harness/attributed-files.ts'
import { NOBODY } from '../../harness/ordinary-user.ts'
import { makeMachine, outputOf, USERS } from './machine.ts'

const LIST = 'system.posix_acl_access'
const TEXT = 'one\ntwo\nthree\nfour\nfive\nsix\n'
const BY_CALL = TEXT.replace('two', 'TWO')

/** Lets a user in, up to a limit that the mode shows as the rights of the group. */
const listFor = (user: number, limit = 6): Buffer =>
  listOf([
    ['owner', 6],
    ['user', 6, user],
    ['ownGroup', 0],
    ['mask', limit],
    ['others', 0],
  ])

interface State {
  readonly mode: number
  readonly attributes: Readonly<Record<string, string | Uint8Array>>
  readonly text: string
}

const valuesOf = ({ attributes }: State) =>
  new Map(Object.entries(attributes).map(([name, value]) => [name, Buffer.from(value)]))

/** Makes a file anew, which belongs to whom its folder belongs to. */
function give(path: string, state: State): void {
  const { uid, gid } = statSync(dirname(path))
  rmSync(path, { force: true })
  const { mode, text } = state
  const file = {
    name: basename(path),
    content: Buffer.from(text),
    mode,
    uid,
    gid,
    attributes: valuesOf(state),
  }
  expect(createWithAttributes(dirname(path), file)).toBe(true)
}

function look(path: string): State {
  return {
    mode: statSync(path).mode & 0o777,
    attributes: attributesOf(path),
    text: readFileSync(path, 'utf8'),
  }
}

/** A state as it is shown when it is looked at. */
function shown(state: State): State {
  const attributes = [...valuesOf(state)].map(([name, value]) => [name, value.toString('latin1')] as const)
  return { ...state, attributes: Object.fromEntries(attributes) }
}

/** An overlay of root shows every file, so only an ordinary user works on a copy. */
const WAYS = [
  ['root', 'overlay'],
  ['ordinary', 'overlay'],
  ['ordinary', 'copy'],
] as const
type Way = (typeof WAYS)[number]
const ORDINARY: Way = ['ordinary', 'overlay']

const isRoot = process.getuid?.() === 0
const ownId = process.getuid?.() ?? 0
const BEFORE = { mode: 0o600, attributes: { 'user.kept': 'same', 'user.gone': 'before' }, text: TEXT }

/** What the command gives a file; it knows no other user than its own. */
function givenBy([user]: Way) {
  const list = listFor(isRoot && user === 'ordinary' ? NOBODY : ownId)
  const attributes = { [LIST]: list, 'user.kept': 'same', 'user.agent': 'by the call' }
  return { mode: 0o660, attributes, text: BY_CALL }
}

/** A machine on which a command has given the files f and g mode, attributes and text. */
async function afterCommand(way: Way, { before = BEFORE, after = givenBy(way) as State } = {}) {
  const [user, layer] = way
  const machine = makeMachine(user)
  const [f, g] = [machine.at('work/f'), machine.at('work/g')]
  if (isRoot && user === 'ordinary') chownSync(machine.at('work'), NOBODY, NOBODY)
  for (const path of [f, g]) give(path, before)
  // No overlay shows what carries a mark of one.
  const marks = { 'user.overlay.metacopy': '' }
  if (layer === 'copy') give(machine.at('work/x'), { mode: 0o600, attributes: marks, text: 'x' })
  const content = Buffer.from(after.text)
  const lines = ['f', 'g'].map((name) => {
    const file = { name, content, mode: after.mode, uid: 0, gid: 0, attributes: valuesOf(after) }
    const archive = Buffer.from(writeArchive(file)).toString('base64')
    return `echo ${archive} | base64 -d | tar -xp --xattrs --xattrs-include='*' --no-same-owner -f -`
  })
  expect(outputOf(await machine.sh(lines.join(' && ')))).toMatchObject({ layer })
  expect(look(g)).toEqual(shown(after))
  return { machine, f, g }
}

describe('undo --merge where a command changed who may use a file, and a person edited it since', () => {
  it.for(WAYS)('takes back list, mode and attributes, and redo brings them (%s, %s)', async (way) => {
    const { machine, f, g } = await afterCommand(way)
    const given = shown(givenBy(way))
    appendFileSync(g, 'mine\n')
    const person = look(g)
    const merged = shown({ ...BEFORE, text: `${TEXT}mine\n` })
    expect(await machine.tongs(['undo', '--merge', '--dry-run'])).toMatch(
      /Attributes of g: system\.posix_acl_access \(removed\), user\.agent \(removed\), user\.gone\n/,
    )
    expect([look(f), look(g)]).toEqual([given, person])
    expect(await machine.tongs(['undo', '--merge', '--yes'])).not.toContain('keeps')
    expect([look(f), look(g)]).toEqual([shown(BEFORE), merged])
    await machine.tongs(['redo', '--yes'])
    expect([look(f), look(g)]).toEqual([given, person])
    await machine.tongs(['undo', '--merge', '--except', 'f', '--yes'])
    expect([look(f), look(g)]).toEqual([given, merged])
    expect(await machine.tongs(['audit', 'verify'])).toContain('whole')
  })

  it.for(WAYS)('keeps the list and attributes that the person gave it (%s, %s)', async (way) => {
    const { machine, g } = await afterCommand(way, { after: { ...BEFORE, text: BY_CALL } })
    const mine = { mode: 0o660, attributes: { [LIST]: listFor(3000), 'user.mine': 'precious' } }
    give(g, { ...mine, text: `${BY_CALL}mine\n` })
    await machine.tongs(['undo', '--merge', '--yes'])
    expect(look(g)).toEqual(shown({ ...mine, text: `${TEXT}mine\n` }))
  })

  it.for(USERS)('keeps them as well where an edit changed the lines, and redo does (%s)', async (user) => {
    const machine = makeMachine(user)
    const g = machine.at('work/g')
    if (isRoot && user === 'ordinary') chownSync(machine.at('work'), NOBODY, NOBODY)
    give(g, BEFORE)
    const edit = { name: 'edit_file', args: { path: 'g', old: 'two', new: 'TWO' } }
    const ran = await machine.batch([{ name: 'read_file', args: { path: 'g' } }, edit])
    expect(ran.map(({ ok }) => ok)).toEqual([true, true])
    const mine = { mode: 0o660, attributes: { [LIST]: listFor(3000), 'user.gone': 'by me' } }
    give(g, { ...mine, text: `${BY_CALL}mine\n` })
    await machine.tongs(['undo', '--merge', '--yes'])
    expect(look(g)).toEqual(shown({ ...mine, text: `${TEXT}mine\n` }))
    await machine.tongs(['redo', '--yes'])
    expect(look(g)).toEqual(shown({ ...mine, text: `${BY_CALL}mine\n` }))
  })

  const own = givenBy(ORDINARY)
  it.for([
    ['its attribute user.agent', { attributes: { ...own.attributes, 'user.agent': 'by me' } }],
    ['its access list', { attributes: { ...own.attributes, [LIST]: listFor(3000) } }],
    ['its mode', { attributes: { ...own.attributes, [LIST]: listFor(3000, 4) }, mode: 0o640 }],
  ] as const)('refuses if both changed %s, and touches nothing', async ([named, changed]) => {
    const { machine, f, g } = await afterCommand(ORDINARY)
    give(g, { ...own, ...changed, text: `${BY_CALL}mine\n` })
    const person = look(g)
    const said = await machine.tongs(['undo', '--merge', '--yes'])
    expect(said).toContain(`Cannot merge g: both changed ${named}`)
    expect([look(f), look(g)]).toEqual([shown(own), person])
  })

  it('takes back attributes alone if the lines are back already; redo stops at what both changed since', async () => {
    const before = { ...BEFORE, mode: 0o660 }
    const { machine, g } = await afterCommand(ORDINARY, { before })
    give(g, { ...own, text: `${TEXT}mine\n` })
    const person = look(g)
    const merged = { ...before, text: `${TEXT}mine\n` }
    for (const [words, then] of [
      [['undo', '--merge'], shown(merged)],
      [['redo'], person],
      [['undo', '--merge'], shown(merged)],
    ] as const) {
      await machine.tongs([...words, '--yes'])
      expect(look(g)).toEqual(then)
    }
    give(g, { ...merged, attributes: { ...merged.attributes, 'user.agent': 'by me' } })
    const mine = look(g)
    expect(await machine.tongs(['redo', '--yes'])).toContain('Changed since: g')
    expect(look(g)).toEqual(mine)
  })

  it('takes back what a command did to the attributes alone', async () => {
    const { machine, g } = await afterCommand(ORDINARY, { after: { ...own, text: TEXT } })
    appendFileSync(g, 'mine\n')
    expect(await machine.tongs(['undo', '--merge', '--yes'])).toContain('merged: g')
    expect(look(g)).toEqual(shown({ ...BEFORE, text: `${TEXT}mine\n` }))
  })
})
