import { describe, expect, it } from 'vitest'
import { toolError } from '../../../src/core/error.ts'
import type { CallFacts } from '../../../src/policy/facts.ts'
import { GATES } from '../../../src/policy/gates/gates.ts'
import { EDITOR, judgeWith, OUTSIDE, wordFor } from '../sample-facts.ts'

const READER = { ...EDITOR, effect: 'read', risk: 'Low' } as const
const APPROVAL = 'tools.approval'

describe('the order of the gates', () => {
  it('is the one that everybody relies on', () => {
    const order = [
      'switch',
      'batch limit',
      'argument limit',
      'duplicate id',
      'denylist',
      'lookup',
      'schema',
      'sandbox',
      'allowed effects',
      'approval mode',
      'dedupe',
      'rules',
      'consent',
      'tool approval',
    ]
    const names = GATES.map(({ name }) => name)
    expect(names.filter((name) => order.includes(name))).toEqual(order)
    expect(GATES.filter(({ validates }) => validates === true).map(({ name }) => name)).toEqual(['schema'])
  })

  it('FR-APR-05: disabled, denylist, sandbox, mode, tool, run: the earlier gate decides about a call that all would stop', async () => {
    const wrong: Partial<CallFacts> = { claims: OUTSIDE, tool: { ...EDITOR, requiresApproval: true } }
    const settings = {
      [`${APPROVAL}.enabled`]: false,
      [`${APPROVAL}.denylist`]: ['editor'],
      [`${APPROVAL}.mode`]: 'deny',
    }
    expect(await wordFor(wrong, settings)).toBe('disabled')
    expect(await wordFor(wrong, { ...settings, [`${APPROVAL}.enabled`]: true })).toBe('denylisted')
    const listed = { [`${APPROVAL}.mode`]: 'deny' }
    expect(await wordFor(wrong, listed)).toBe('path_outside_sandbox')
    const inside = { tool: { ...EDITOR, requiresApproval: true } }
    expect(await wordFor(inside, listed)).toBe('not_allowed')
    const allowed = { ...listed, [`${APPROVAL}.allowlist`]: ['editor'] }
    expect(await wordFor(inside, allowed)).toBe('ask')
    expect(await wordFor({}, allowed)).toBe('run')
  })

  it('FR-APR-05: each gate comes before all that follow it, pair by pair', async () => {
    const faults: readonly (readonly [string, Partial<CallFacts>])[] = [
      ['limit_exceeded', { position: 1000 }],
      ['bad_args', { envelope: ['id must be a string'] }],
      ['limit_exceeded', { argsBytes: 2 ** 30 }],
      ['duplicate_tool_call_id', { sameId: 2 }],
      ['denylisted', { name: 'run_command' }],
      ['unknown_tool', { tool: null }],
      ['bad_args', { argumentProblems: ['args needs "path"'] }],
      ['path_outside_sandbox', { claims: OUTSIDE }],
      ['ask', { tool: EDITOR }],
    ]
    for (const [index, [code, early]] of faults.entries()) {
      for (const [, late] of faults.slice(index + 1)) expect(await wordFor({ ...late, ...early })).toBe(code)
    }
  })

  it('calls that share an id are told which', async () => {
    const { error } = await judgeWith({ id: 'call_7', sameId: 2 })
    expect(error).toMatchObject({ details: { id: 'call_7', count: 2 } })
    expect(error?.message).toContain('2 calls of this batch carry the id "call_7"')
    const long = await judgeWith({ id: 'x'.repeat(10_000), sameId: 3 })
    expect(long.error?.message.length).toBeLessThan(300)
  })

  it('a call that is stopped is never asked about, whatever a later gate would want', async () => {
    const { verdict, findings } = await judgeWith({
      claims: OUTSIDE,
      tool: { ...EDITOR, requiresApproval: true },
    })
    expect(verdict).toBe('settle')
    expect(findings.some((finding) => finding.verdict === 'ask')).toBe(false)
    expect(findings.at(-1)).toMatchObject({ gate: 'sandbox', verdict: 'deny' })
  })

  it('R-IN-1: the schema is judged before anything about permission, and what it lets pass counts as validated', async () => {
    const denied = { [`${APPROVAL}.mode`]: 'deny' }
    const bad = await judgeWith({ argumentProblems: ['no'], claims: OUTSIDE }, denied)
    expect(bad).toMatchObject({ isValidated: false, error: { code: 'bad_args' } })
    expect(bad.findings.map(({ gate }) => gate)).not.toContain('sandbox')
    expect(await judgeWith({}, denied)).toMatchObject({ isValidated: true, error: { code: 'not_allowed' } })
  })
})

describe('the switch', () => {
  it('T-MODE-01: mode disabled refuses every call, whoever made it', async () => {
    for (const origin of ['person', 'model', 'runtime'] as const) {
      const { error } = await judgeWith({ origin, tool: READER }, { 'tools.mode': 'disabled' })
      expect(error).toMatchObject({ code: 'disabled', message: 'Tool execution disabled by policy' })
    }
  })

  it('FR-APR-04a: approval that is not enabled refuses every call with the fixed words', async () => {
    const { error } = await judgeWith({ tool: READER }, { [`${APPROVAL}.enabled`]: false })
    expect(error).toMatchObject({ code: 'disabled', message: 'Tool execution disabled by policy' })
  })

  it('parse_only holds what a model calls, and lets a person’s own hand through', async () => {
    const held = { 'tools.mode': 'parse_only' }
    expect(await wordFor({ origin: 'model', tool: READER }, held)).toBe('held')
    expect(await wordFor({ origin: 'person', tool: READER }, held)).toBe('run')
  })
})

describe('the denylist', () => {
  it.for(['auto', 'prompt', 'deny'])(
    'FR-APR-04b: a denylisted tool is denied in mode %s, allowlisted or not',
    async (mode) => {
      const lists = { [`${APPROVAL}.denylist`]: ['editor'], [`${APPROVAL}.allowlist`]: ['editor'] }
      const { error } = await judgeWith({}, { ...lists, [`${APPROVAL}.mode`]: mode })
      expect(error).toMatchObject({ code: 'denylisted', details: { tool: 'editor' } })
    },
  )

  it('a tool that is switched off counts as denylisted, and a list of one’s own does not switch it on', async () => {
    const tool = { ...READER, name: 'run_command' }
    expect(await wordFor({ name: 'run_command', tool }, { [`${APPROVAL}.denylist`]: [] })).toBe('denylisted')
    expect(await wordFor({ name: 'run_command', tool }, { 'tools.run_command.enabled': true })).toBe('run')
  })
})

describe('approval mode', () => {
  it('FR-APR-04: what the configuration says is what the gates go by', async () => {
    expect(await wordFor({})).toBe('ask')
    expect(await wordFor({}, { [`${APPROVAL}.mode`]: 'auto' })).toBe('run')
    expect(await wordFor({}, { [`${APPROVAL}.mode`]: 'deny' })).toBe('not_allowed')
    expect(await wordFor({}, { [`${APPROVAL}.allowlist`]: ['editor'] })).toBe('run')
    expect(await wordFor({}, { [`${APPROVAL}.prompt_side_effects`]: false })).toBe('run')
  })

  it('FR-APR-04c: in mode deny only what is allowlisted runs, and it is still asked about where the tool insists', async () => {
    const deny = { [`${APPROVAL}.mode`]: 'deny', [`${APPROVAL}.allowlist`]: ['reader'] }
    const reader = { name: 'reader', tool: { ...READER, name: 'reader' } }
    expect(await wordFor(reader, deny)).toBe('run')
    expect(await wordFor({ tool: READER }, deny)).toBe('not_allowed')
    expect(await wordFor({ ...reader, claims: OUTSIDE }, deny)).toBe('path_outside_sandbox')
    expect(await wordFor({ ...reader, tool: { ...reader.tool, requiresApproval: true } }, deny)).toBe('ask')
  })

  it('FR-APR-04d: in mode prompt effects are asked about unless allowlisted, and reading is not', async () => {
    expect(await wordFor({ tool: READER })).toBe('run')
    for (const effect of ['edit', 'spawn', 'external'] as const)
      expect(await wordFor({ tool: { ...EDITOR, effect } })).toBe('ask')
    const listed = { [`${APPROVAL}.allowlist`]: ['editor'] }
    expect(await wordFor({}, listed)).toBe('run')
    expect(await wordFor({ tool: { ...EDITOR, requiresApproval: true } }, listed)).toBe('ask')
  })

  it.for(['auto', 'prompt'])(
    'FR-APR-04e: a tool that insists is asked about in mode %s, and only a denial is stronger',
    async (mode) => {
      const tool = { ...READER, requiresApproval: true }
      const settings = { [`${APPROVAL}.mode`]: mode, [`${APPROVAL}.allowlist`]: ['editor'] }
      expect(await wordFor({ tool }, settings)).toBe('ask')
      expect(await wordFor({ tool }, { ...settings, [`${APPROVAL}.denylist`]: ['editor'] })).toBe(
        'denylisted',
      )
    },
  )

  it('a dry run is never asked about, and still obeys denials', async () => {
    const tool = { ...EDITOR, requiresApproval: true }
    expect(await wordFor({ isDryRun: true, tool })).toBe('run')
    expect(await wordFor({ isDryRun: true, tool }, { [`${APPROVAL}.mode`]: 'deny' })).toBe('not_allowed')
  })

  it('NFR-SEC-04: with nothing configured every kind of effect is asked about', async () => {
    const asked = await Promise.all(
      (['read', 'edit', 'spawn', 'external'] as const).map((effect) =>
        wordFor({ tool: { ...EDITOR, effect } }),
      ),
    )
    expect(asked).toEqual(['run', 'ask', 'ask', 'ask'])
  })
})

describe('effects that are allowed or approved as a whole', () => {
  const approved = { [`${APPROVAL}.approved_effects`]: ['edit', 'spawn'] }
  const process = { ...EDITOR, effect: 'spawn', risk: 'High', requiresApproval: true } as const

  it('an effect that is not allowed is refused without a question, allowlisted or not', async () => {
    const plan = { [`${APPROVAL}.allowed_effects`]: ['read'], [`${APPROVAL}.allowlist`]: ['editor'] }
    const { error } = await judgeWith({}, plan)
    expect(error).toMatchObject({ code: 'not_allowed', details: { effect: 'edit' } })
    expect(await wordFor({ tool: READER }, plan)).toBe('run')
    expect(await wordFor({ isDryRun: true }, plan)).toBe('run')
  })

  it('an approved edit runs without a question, unless its risk is high or the tool insists', async () => {
    expect(await wordFor({}, approved)).toBe('run')
    expect(await wordFor({ tool: { ...EDITOR, risk: 'High' } }, approved)).toBe('ask')
    expect(await wordFor({ tool: { ...EDITOR, requiresApproval: true } }, approved)).toBe('ask')
    expect(await wordFor({ tool: { ...EDITOR, effect: 'external' } }, approved)).toBe('ask')
  })

  it('an approved process runs without a question only where it is sandboxed without network', async () => {
    expect(await wordFor({ tool: process }, approved)).toBe('ask')
    expect(await wordFor({ tool: { ...process, isSandboxed: true } }, approved)).toBe('run')
    expect(await wordFor({ tool: { ...process, isSandboxed: true } })).toBe('ask')
    const edits = { [`${APPROVAL}.approved_effects`]: ['edit'] }
    expect(await wordFor({ tool: { ...process, isSandboxed: true } }, edits)).toBe('ask')
    const through = { ...approved, 'tools.shell.passthrough': ['build'] }
    expect(await wordFor({ tool: { ...process, isSandboxed: true } }, through)).toBe('ask')
  })
})

async function verdictOf(facts: Partial<CallFacts>): Promise<string | undefined> {
  return (await judgeWith(facts)).findings.at(-1)?.verdict
}

describe('what a person reads afterwards', () => {
  it('every gate that looked says what it looked at', async () => {
    const { findings } = await judgeWith({})
    expect(findings.map(({ gate }) => gate)).toEqual(GATES.map(({ name }) => name))
    for (const { fact } of findings) expect(fact).toMatch(/^[a-z]\S* .+/)
  })

  it('a gate that says no is told apart from one that finds the call wrong', async () => {
    expect(await verdictOf({ tool: null })).toBe('fail')
    expect(await verdictOf({ argumentError: toolError('patch_failed', 'x') })).toBe('fail')
    expect(await verdictOf({ claims: OUTSIDE })).toBe('deny')
    expect(await verdictOf({ name: 'run_command' })).toBe('deny')
    const held = await judgeWith({ origin: 'model' }, { 'tools.mode': 'parse_only' })
    expect(held.findings.at(-1)?.verdict).toBe('deny')
  })
})
