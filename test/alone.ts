/** Files that have a process of their own, because they change or measure what belongs to all of it. */
export const ALONE = [
  'test/*.test.ts',
  'test/{examples,faults,project}/**/*.test.ts',
  'test/host/{confine,isolate,run}/**/*.test.ts',
  // They load modules that replace functions of Node, and cannot be put back.
  'test/host/db/sqlite.test.ts',
  'test/journal/{group-busy,shared-writer}.test.ts',
  'test/journal/segments/{many-writers,segment-faults}.test.ts',
  'test/journal/store/log-writer.test.ts',
  'test/pipeline/{commit/commit,commit/edit-group,events,transaction}.test.ts',
  'test/tools/every-tool/watched*.test.ts',
  'test/runtime/sessions/adopt-deaths.test.ts',
  'test/workspace/landing/{last-instant,layered-deaths,looks-per-file,recheck}.test.ts',
  // Replaces a module.
  'test/workspace/sandbox/protect-git-places.test.ts',
  // Measure memory or time, and would measure that of their neighbours.
  'test/tools/test-reports/test-reports.test.ts',
]
