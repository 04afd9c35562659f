import { parseJunit } from '../test-reports/parse-junit.ts'
import { readPackage } from './package-json.ts'
import { plainPath, withoutOptions } from './test-runner.ts'
import type { TestRunner } from './test-runner.ts'

/** The runner built into Bun. Its output for people and its report are both on stderr. */
export const bun: TestRunner = {
  name: 'bun',
  looksFor: '`bun test` as the test script of package.json, or a bunfig.toml',
  detect: (project) =>
    project.has('bunfig.toml') && readPackage(project)?.testName === null
      ? { is: 'found', argv: ['bun', 'test'], why: 'there is bunfig.toml' }
      : null,
  recognises: (argv) => /(?:^|\/)bun$/.test(argv[0] ?? '') && argv[1] === 'test',
  compose: (argv, selection) => ({
    ok: true,
    argv: [
      ...withoutOptions(
        argv,
        /^(?:--watch|--hot|--bail(?:=.*)?|--reporter(?:-outfile)?(?:=.*)?)$/,
        /^--reporter(?:-outfile)?$/,
      ),
      '--reporter=junit',
      '--reporter-outfile=/dev/stderr',
      ...(selection.is === 'name' ? [`--test-name-pattern=${selection.text}`] : []),
      ...(selection.is === 'path' ? [plainPath(`./${selection.path}`)] : []),
    ],
  }),
  parse: parseJunit,
  runsOn: 'node',
}
