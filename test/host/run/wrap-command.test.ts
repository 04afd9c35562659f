import { execFileSync } from 'node:child_process'
import { constants } from 'node:os'
import { describe, expect, it } from 'vitest'
import { findHeldLimits } from '../../../src/host/run/held-limits.ts'
import { readScriptReport, settleExit, wrapCommand } from '../../../src/host/run/wrap-command.ts'

describe('the script before a command', () => {
  it('hands on arguments as they are, also those that a shell would read', () => {
    const odd = ['a b', '$HOME', '`id`', '*', '', "'", '"', '\\', 'new\nline', '-n', '--']
    const [program = '', ...args] = wrapCommand(['printf', '<%s>', ...odd], {}, false)
    const said = execFileSync(program, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    expect(said).toBe(odd.map((one) => `<${one}>`).join(''))
  })

  it('tells what the witness heard', () => {
    const none = { isChanged: false, lostLimits: [], isAbsent: false, namesSignal: false }
    expect(readScriptReport('')).toEqual({ ...none, isReady: false })
    expect(readScriptReport('changed\n')).toEqual({ ...none, isReady: false, isChanged: true })
    expect(readScriptReport('ready\n')).toEqual({ ...none, isReady: true })
    expect(readScriptReport('ready\nabsent\n')).toEqual({ ...none, isReady: true, isAbsent: true })
    expect(readScriptReport('ready\nlost processes\nKilled\n')).toEqual({
      isReady: true,
      isChanged: false,
      lostLimits: ['processes'],
      isAbsent: false,
      namesSignal: true,
    })
  })

  it.for([
    [0, null, false, { exitCode: 0, signal: null }],
    [3, null, false, { exitCode: 3, signal: null }],
    [137, null, false, { exitCode: 137, signal: null }],
    [137, null, true, { exitCode: null, signal: 'SIGKILL' }],
    [143, null, true, { exitCode: null, signal: 'SIGTERM' }],
    [130, null, false, { exitCode: null, signal: 'SIGINT' }],
    [141, null, false, { exitCode: null, signal: 'SIGPIPE' }],
    [255, null, true, { exitCode: 255, signal: null }],
    [null, 'SIGKILL', false, { exitCode: null, signal: 'SIGKILL' }],
  ] as const)('tells an exit code from a signal: %j', ([code, signal, namesSignal, end]) => {
    expect(settleExit(code, signal, namesSignal, constants.signals)).toEqual(end)
  })
})

describe('what a limit is kept by', () => {
  const all = { cpuSeconds: 1, memoryBytes: 1, processes: 1, fileBytes: 1 }
  const none = { hasCgroup: false, isNamespaced: false, isRoot: false, lost: [] }
  it.for([
    ['an ordinary user in a sandbox', { ...none, isNamespaced: true }, 'rlimit rlimit rlimit rlimit'],
    ['root in a sandbox', { ...none, isNamespaced: true, isRoot: true }, 'rlimit rlimit none rlimit'],
    ['an ordinary user without one', none, 'rlimit rlimit none rlimit'],
    ['root without one', { ...none, isRoot: true }, 'none none none none'],
    [
      'root in a control group',
      { ...none, isRoot: true, isNamespaced: true, hasCgroup: true },
      'rlimit cgroup cgroup rlimit',
    ],
    [
      'a shell that cannot set one',
      { ...none, isNamespaced: true, lost: ['cpuSeconds'] },
      'none rlimit rlimit rlimit',
    ],
  ] as const)('RULE 6: is said as it is for %s', ([, facts, holders]) => {
    expect(Object.values(findHeldLimits(all, facts)).join(' ')).toBe(holders)
    expect(findHeldLimits({}, facts)).toEqual({})
  })
})
