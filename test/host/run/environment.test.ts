import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CHILD_ENVIRONMENT,
  CHILD_ENVIRONMENT_FIXED,
  CHILD_ENVIRONMENT_NEVER,
} from '../../../src/config/fixed-values.ts'
import { guardKeys } from '../../../src/config/keys/guard-keys.ts'
import { childEnvironment } from '../../../src/host/run/environment.ts'
import type { EnvironmentRules } from '../../../src/host/run/environment.ts'

const rules: EnvironmentRules = {
  allow: CHILD_ENVIRONMENT,
  fixed: CHILD_ENVIRONMENT_FIXED,
  never: CHILD_ENVIRONMENT_NEVER,
  denylist: guardKeys['tools.environment.denylist'].agent,
  extra: {},
}
const parent = {
  PATH: '/usr/bin',
  HOME: '/home/ada',
  LANG: 'C.UTF-8',
  LC_ALL: 'C',
  TERM: 'xterm-256color',
  USER: 'ada',
  SHELL: '/bin/zsh',
  TMPDIR: '/tmp',
  EDITOR: 'vi',
  LD_PRELOAD: '/evil.so',
  SSH_AUTH_SOCK: '/run/agent',
  AWS_REGION: 'eu-central-1',
  GITHUB_TOKEN: 'ghp_secret',
  OPENAI_API_KEY: 'sk-secret',
}

const DENIED_NAME =
  /^(?:(?:LD_|DYLD_|GIT_|BASH_FUNC_|AWS_|OPENAI_|ANTHROPIC_).*|.*_(?:KEY|TOKEN|SECRET|PASSWORD)|.*=.*|NODE_OPTIONS|BASH_ENV|ENV|PYTHONSTARTUP|PERL5OPT|SSH_AUTH_SOCK|)$/s

describe('the environment of a command', () => {
  it('withholds what a pattern with stars matches, as a regular expression would', () => {
    const few = fc.string({ unit: fc.constantFrom('A', 'B', '_'), minLength: 1, maxLength: 8 })
    const pattern = fc.string({ unit: fc.constantFrom('A', 'B', '_', '*'), maxLength: 8 })
    fc.assert(
      fc.property(few, pattern, (name, denied) => {
        const { secrets } = childEnvironment({ [name]: '1' }, { ...rules, denylist: [denied] }, 'linux')
        const isDenied = new RegExp(`^${denied.replaceAll('*', '.*')}$`).test(name)
        expect(secrets.length > 0).toBe(isDenied)
      }),
    )
  })

  it.each(['*'.repeat(60) + '!', '*A'.repeat(60) + '!'])(
    'is found at once whatever the pattern: %s',
    (pattern) => {
      const long = { ['A'.repeat(500)]: '1', A_RATHER_ORDINARY_NAME_OF_A_VARIABLE: '1' }
      const { secrets } = childEnvironment(long, { ...rules, denylist: [pattern] }, 'linux')
      expect(secrets).toEqual([])
    },
  )

  it('holds the few variables that programs need, with a dumb terminal, and nothing else', () => {
    expect(childEnvironment(parent, rules, 'linux').variables).toEqual({
      PATH: '/usr/bin',
      HOME: '/home/ada',
      LANG: 'C.UTF-8',
      LC_ALL: 'C',
      USER: 'ada',
      SHELL: '/bin/zsh',
      TMPDIR: '/tmp',
      TERM: 'dumb',
    })
  })

  it('CFG-ENV-01: the configured list adds to the defaults, and a deny beats whatever allows', () => {
    const wider = { ...rules, allow: [...rules.allow, '*'], denylist: [...rules.denylist, 'EDIT*'] }
    const { variables, secrets } = childEnvironment(parent, wider, 'linux')
    const given = Object.keys(variables)
    expect(given).toContain('PATH')
    for (const name of ['EDITOR', 'GITHUB_TOKEN', 'OPENAI_API_KEY', 'AWS_REGION'])
      expect(given).not.toContain(name)
    expect(secrets.map(({ name }) => name).toSorted()).toEqual([
      'AWS_REGION',
      'EDITOR',
      'GITHUB_TOKEN',
      'OPENAI_API_KEY',
    ])
  })

  it('CFG-ENV-01: case does not matter on Windows, and does elsewhere', () => {
    const mixed = { Path: 'C:\\bin', My_Api_Key: 'secret', SystemRoot: 'C:\\Windows' }
    const wider = { ...rules, allow: [...rules.allow, '*'] }
    expect(childEnvironment(mixed, wider, 'windows').variables).toEqual({
      Path: 'C:\\bin',
      SystemRoot: 'C:\\Windows',
      TERM: 'dumb',
    })
    expect(childEnvironment(mixed, wider, 'linux').variables['My_Api_Key']).toBe('secret')
    expect(childEnvironment(mixed, rules, 'windows').variables).toHaveProperty('Path')
  })

  it('a call may add variables, but none that hold secrets or change what programs load', () => {
    const extra = {
      CI: '1',
      TERM: 'xterm',
      LD_LIBRARY_PATH: '/x',
      NODE_OPTIONS: '--require=x',
      GIT_DIR: '/x',
      'BASH_FUNC_ls%%': '() { :; }',
      MY_SECRET: 'x',
      'A=B': 'x',
      NUL: 'a\0b',
      '': 'x',
    }
    const { variables, refused } = childEnvironment({}, { ...rules, extra }, 'linux')
    expect(variables).toEqual({ CI: '1', TERM: 'xterm' })
    expect(refused.toSorted()).toEqual(
      Object.keys(extra)
        .filter((name) => !['CI', 'TERM'].includes(name))
        .toSorted(),
    )
  })

  it('no name that is denied ever comes through, whatever is allowed and asked for', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'LD_X',
        'DYLD_Y',
        'ENV',
        'BASH_ENV',
        'A_KEY',
        'AWS_A',
        'PATH',
        'x',
        '__proto__',
        'GIT_A',
      ),
      fc.string({ maxLength: 6 }),
    )
    const variables = fc.dictionary(name, fc.string({ maxLength: 5 }))
    fc.assert(
      fc.property(variables, variables, fc.array(name), (ours, extra, allow) => {
        const given = childEnvironment(ours, { ...rules, allow: [...allow, '*'], extra }, 'linux').variables
        expect(Object.keys(given).filter((one) => DENIED_NAME.test(one))).toEqual([])
      }),
    )
  })
})
