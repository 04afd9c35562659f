import type { Family } from './harness/take-turns.ts'

/**
 * Files whose tests cost much, such as processes of their own, and the part of them that a whole `npm test` runs. The
 * first pattern that fits counts.
 */
export const COSTLY: readonly (readonly [pattern: string, part: number])[] = [
  // They have few tests, and take turns as files.
  ['test/faults/**', 1],
  ['test/{emacs,eval,examples,scenarios,servers}/**', 1 / 5],
  ['test/project/{bundle,code-cache,package,start}.test.ts', 1 / 4],
  ['test/faces/**', 1 / 6],
  ['test/host/{confine,isolate,layer,run,serve}/**', 1 / 4],
  ['test/host/{git,root}/**', 1 / 3],
  ['test/{journal,runtime}/**', 1 / 4],
  ['test/policy/grants/reach.test.ts', 1 / 4],
  ['test/tools/{every-tool,finding,rendering,shell,test-runners,web}/**', 1 / 4],
  ['test/tools/{background,run-shell,run-tests,run-tests-here,task-filters}.test.ts', 1 / 4],
  ['test/workspace/{landing,layers}/**', 1 / 4],
  ['test/{agent,pipeline}/**', 1 / 3],
  ['test/{bench,model}/**', 1 / 4],
  ['test/{core/command,core/text,host/web,policy,tools/edits}/**', 1 / 3],
]

/** Files that cost much even with few cases: a whole `npm test` runs some of each family. What they prove, others prove too. */
export const FAMILIES: readonly Family[] = [
  {
    files: [
      'answered-landing',
      'edit-groups',
      'failpoints',
      'layer-kills',
      'layer-syncs',
      'layer-syscall-errors',
      'layer-troubles',
      'many-processes',
      'power-cut',
      'random-lives',
      'sweep',
      'syscall-errors',
      'talk-kills',
      'troubles',
    ].map((name) => `test/faults/${name}.test.ts`),
    atOnce: 2,
  },
  {
    // They pack, build or start whole programs of others.
    files: [
      'test/emacs/emacs.test.ts',
      'test/eval/replay.test.ts',
      'test/project/bundle.test.ts',
      'test/project/package.test.ts',
    ],
    atOnce: 2,
  },
]
