/** Attacks of one kind, and the tests that carry them out. */
export interface Family {
  readonly name: string
  /** What is tried. */
  readonly tried: string
  readonly files: readonly string[]
}

/** What is attacked, by kind. A new hole gets a row in one of these files, with what would have let it through as its control. */
export const FAMILIES: readonly Family[] = [
  {
    name: 'Names and paths',
    tried:
      'names that climb, drives, streams, NUL, lone surrogates, names that are too long; a root whose name begins another folder; a root given by a link',
    files: [
      'test/host/root/open-root.test.ts',
      'test/host/root/exact-name.test.ts',
      'test/workspace/sandbox/sandbox.test.ts',
      'test/workspace/sandbox/sandbox-roots.test.ts',
      'test/workspace/sandbox/sandbox-fuzz.test.ts',
      'test/tools/every-tool/outside-root.test.ts',
    ],
  },
  {
    name: 'Links and races',
    tried:
      'links in every place of a path, dangling and in circles; folders and links exchanged by another process while files are read, written, listed, searched and landed, and while commands get what they were granted',
    files: [
      'test/workspace/sandbox/sandbox-links.test.ts',
      'test/host/root/swap-race.test.ts',
      'test/host/layer/swaps.test.ts',
      'test/host/layer/late-swaps.test.ts',
      'test/host/confine/held/held-place.test.ts',
      'test/host/layer/late-names.test.ts',
      'test/faults/swap-race.test.ts',
      'test/tools/finding/search-race.test.ts',
      'test/workspace/landing/last-instant.test.ts',
    ],
  },
  {
    name: 'Denied names',
    tried:
      'keys and credentials in other cases and spellings, by links, by patches and renames, through search; what a command is granted below a root',
    files: [
      'test/workspace/sandbox/denies.test.ts',
      'test/workspace/sandbox/sandbox-denies.test.ts',
      'test/workspace/sandbox/find-denied.test.ts',
      'test/tools/every-tool/find-permissions.test.ts',
      'test/faces/cli/granted-below.test.ts',
    ],
  },
  {
    name: 'Opening a hostile folder',
    tried:
      'pipes, devices, endless and huge files, and links in place of every file that is read unasked; a repository of someone else above',
    files: [
      'test/tools/every-tool/clones.test.ts',
      'test/tools/every-tool/hostile-clone.test.ts',
      'test/host/git/worktree/own-repository.test.ts',
    ],
  },
  {
    name: 'Sandbox of commands',
    tried:
      'files outside, the network, sockets, other processes, remounting, folders that cannot be looked at, own files of Tongs, repositories, leftovers after the end',
    files: [
      'test/host/confine/escapes.test.ts',
      'test/host/confine/probe.test.ts',
      'test/host/confine/seccomp-filter.test.ts',
      'test/host/run/runner-stop.test.ts',
      'test/host/run/runner-death.test.ts',
      'test/runtime/shell/child-environment.test.ts',
    ],
  },
  {
    name: 'Git',
    tried:
      'everything that makes git run something: hooks, includes, filters and programs in any notation of its configuration, by variables, in submodules and work trees',
    files: [
      'test/host/git/spellings.test.ts',
      'test/host/git/named-programs.test.ts',
      'test/host/git/git-places.test.ts',
      'test/host/git/run-git.test.ts',
      'test/host/confine/git-shield.test.ts',
      'test/workspace/sandbox/protect-git-places.test.ts',
      'test/tools/every-tool/git-places.test.ts',
      'test/servers/nested-git.test.ts',
      'test/faces/cli/hook-links.test.ts',
      'test/tools/shell/first-git-places.test.ts',
    ],
  },
  {
    name: 'Commands that look harmless',
    tried: 'options that run or overwrite something in programs that are let through unasked',
    files: [
      'test/core/command/harmless/harm.test.ts',
      'test/core/command/harmless/harmless-commands.test.ts',
      'test/tools/test-runners/option-like-paths.test.ts',
    ],
  },
  {
    name: 'Between question and run',
    tried:
      'arguments, files, programs, links and levels of the sandbox changed after the yes; what a question hides by blanks, look-alikes and control characters; forged answers',
    files: [
      'test/pipeline/approve/binding.test.ts',
      'test/pipeline/approve/bound-question.test.ts',
      'test/pipeline/approve/bound-run.test.ts',
      'test/runtime/approvals/forged-entries.test.ts',
      'test/runtime/approvals/answer-inbox.test.ts',
      'test/faces/cli/hidden-characters.test.ts',
    ],
  },
  {
    name: 'Arguments',
    tried: 'depth, duplicate keys, `__proto__`, numbers that would be rounded, half an object, size',
    files: ['test/core/json/scan.test.ts', 'test/core/json/scan-value.test.ts', 'test/wire/fenced.test.ts'],
  },
  {
    name: 'Text on a terminal',
    tried: 'escape sequences of every kind, whole, split and unterminated; bidi, tags, look-alikes',
    files: [
      'test/core/text/display/sanitise.test.ts',
      'test/core/text/display/invisible.test.ts',
      'test/core/text/display/lookalikes.test.ts',
      'test/core/text/escape-json.test.ts',
    ],
  },
  {
    name: 'Secrets',
    tried: 'shapes of keys in results, streams, questions and parts of results; ordinary code that must stay',
    files: [
      'test/core/text/secrets/secret-shapes.test.ts',
      'test/core/text/secrets/redact.test.ts',
      'test/core/text/secrets/redact-stream.test.ts',
      'test/core/text/secrets/ordinary-code.test.ts',
      'test/pipeline/record/keys-in-parts.test.ts',
    ],
  },
  {
    name: 'The log and the state folder',
    tried:
      'entries changed, removed, reordered, inserted and cut; anchors and contents forged or put back; triggers and views planted; bytes flipped, cut and exchanged',
    files: [
      'test/journal/tampering.test.ts',
      'test/journal/tampered-store.test.ts',
      'test/journal/forged-anchors.test.ts',
      'test/journal/planted-contents.test.ts',
      'test/journal/random-damage.test.ts',
      'test/journal/derived-tables.test.ts',
      'test/journal/segments/damaged-header.test.ts',
      'test/runtime/sessions/forged-undo.test.ts',
      'test/runtime/sessions/damaged-session.test.ts',
    ],
  },
  {
    name: 'Configuration of a project',
    tried: 'files that set modes, roots, lists, programs and addresses: a project can only tighten',
    files: ['test/config/tightening.test.ts', 'test/config/tightening-laws.test.ts'],
  },
  {
    name: 'Frames and servers',
    tried:
      'frames without an end, not JSON, with wrong ids, answers that no one asked for, ends in the middle; servers whose answers attack',
    files: [
      'test/faces/mcp/hostile-frames.test.ts',
      'test/faces/acp/hostile-frames.test.ts',
      'test/servers/hostile-server.test.ts',
      'test/servers/hostile-answers.test.ts',
      'test/servers/started-programs.test.ts',
    ],
  },
  {
    name: 'The web',
    tried: 'addresses that lead back to this machine or its network, in every notation',
    files: ['test/core/web/ip-address.test.ts', 'test/core/web/web-address.test.ts'],
  },
  {
    name: 'Obstacles to landing',
    tried: 'mounted, immutable and foreign files, closed folders, links with several names',
    files: [
      'test/faults/obstacles.test.ts',
      'test/workspace/landing/obstacles.test.ts',
      'test/workspace/landing/shut-names.test.ts',
      'test/workspace/landing/shut-parent.test.ts',
      'test/workspace/landing/shared-inodes.test.ts',
    ],
  },
  {
    name: 'Growth',
    tried:
      'sparse files, endless lines and outputs, huge folders, long batches and journals, slow expressions',
    files: [
      'test/journal/growth.test.ts',
      'test/host/root/exhaustion.test.ts',
      'test/host/run/bounded-output.test.ts',
      'test/workspace/reading/regex-fault.test.ts',
    ],
  },
]
