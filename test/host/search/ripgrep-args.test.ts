import { describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../../src/core/powers.ts'
import { ripgrepArgs } from '../../../src/host/search/ripgrep-args.ts'

const REQUEST: SearchRequest = {
  query: '-x',
  isRegex: false,
  isCaseSensitive: false,
  starts: [''],
  without: [],
  only: null,
  withHidden: false,
  maxFileBytes: 10,
  maxLinesPerFile: 5,
  isBuiltIn: false,
  signal: new AbortController().signal,
  eachFile: () => Promise.resolve(),
}

describe('the command line of the search program', () => {
  it('takes a query and a path that look like options as what they are', () => {
    const args = ripgrepArgs(REQUEST, ['', '-rf'], [], false)
    expect(args).toContain('--regexp=-x')
    expect(args.slice(args.indexOf('--'))).toEqual(['--', './', './-rf'])
  })

  it('keeps it within its folder: nothing from above, from a home or through links', () => {
    const args = ripgrepArgs(REQUEST, [''], [], false)
    expect(args).toEqual(
      expect.arrayContaining(['--no-config', '--no-ignore-parent', '--no-ignore-global', '--no-follow']),
    )
  })

  it('passes over what is denied, but not over what only looks like it', () => {
    const args = ripgrepArgs(REQUEST, [''], ['**/*.pem', 'secret', '**/.env.*', '/etc/x', '{a,b}'], false)
    expect(args.filter((arg) => arg.startsWith('--iglob'))).toEqual(['--iglob=!**/*.pem', '--iglob=!/secret'])
  })

  it('looks at sizes only if told to', () => {
    const limit = '--max-filesize=10'
    expect(ripgrepArgs(REQUEST, [''], [], true)).toContain(limit)
    expect(ripgrepArgs(REQUEST, [''], [], false)).not.toContain(limit)
  })

  it('leaves out and picks by name', () => {
    const args = ripgrepArgs({ ...REQUEST, without: ['/dist'], only: ['*.ts', 'a?'] }, [''], [], false)
    expect(args).toEqual(
      expect.arrayContaining([
        '--glob=!/dist',
        '--type-add=wanted:*.ts',
        '--type-add=wanted:a?',
        '--type=wanted',
      ]),
    )
  })
})
