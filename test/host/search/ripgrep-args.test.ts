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
  ignoreFiles: { names: ['.gitignore'], maxBytes: 100 },
  maxFileBytes: 10,
  maxLinesPerFile: 5,
  isBuiltIn: false,
  signal: new AbortController().signal,
  eachFile: () => Promise.resolve(),
}

const QUICK = { checksSizes: false, readsIgnoreFiles: true }

describe('the command line of the search program', () => {
  it('takes a query and a path that look like options as what they are', () => {
    const args = ripgrepArgs(REQUEST, ['', '-rf'], [], QUICK)
    expect(args).toContain('--regexp=-x')
    expect(args.slice(args.indexOf('--'))).toEqual(['--', './', './-rf'])
  })

  it('keeps it within its folder: nothing from above, from a home or through links', () => {
    const args = ripgrepArgs(REQUEST, [''], [], QUICK)
    expect(args).toEqual(
      expect.arrayContaining(['--no-config', '--no-ignore-parent', '--no-ignore-global', '--no-follow']),
    )
  })

  it('passes over what is denied, but not over what only looks like it', () => {
    const args = ripgrepArgs(REQUEST, [''], ['**/*.pem', 'secret', '**/.env.*', '/etc/x', '{a,b}'], QUICK)
    expect(args.filter((arg) => arg.startsWith('--iglob'))).toEqual(['--iglob=!**/*.pem', '--iglob=!/secret'])
  })

  it('looks at sizes only if told to', () => {
    const limit = '--max-filesize=10'
    expect(ripgrepArgs(REQUEST, [''], [], { ...QUICK, checksSizes: true })).toContain(limit)
    expect(ripgrepArgs(REQUEST, [''], [], QUICK)).not.toContain(limit)
  })

  it('can leave ignore files unread', () => {
    expect(ripgrepArgs(REQUEST, [''], [], QUICK)).not.toContain('--no-ignore')
    expect(ripgrepArgs(REQUEST, [''], [], { ...QUICK, readsIgnoreFiles: false })).toContain('--no-ignore')
  })

  it('leaves out and picks by name', () => {
    const args = ripgrepArgs({ ...REQUEST, without: ['/dist'], only: ['*.ts', 'a?'] }, [''], [], QUICK)
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
