/** A short guide to LP1 for a model's instructions. */
export function formatLp1Guide(): string {
  return GUIDE
}

const GUIDE = `An LP1 patch edits text files by whole lines, at many places in many files: all change, or none does. First line: LP1. Last line: END.
"F path" begins a file that read_file, not just search, has shown, if only in part; a path with blanks goes in double quotes.
Below it come operations, each seeing what the earlier ones left:
  R find block, new block: replace the lines found
  I find block, new block: insert after them
  P find block, new block: insert before them
  E find block: delete them
  T new block: append to the file, which may be missing
  B new block: put at its start, likewise
  N + or N -: end the file with a newline, or without
A block is lines, closed by a line that is just "."; a line that begins with a dot gets one more: ".env" is written "..env".
A find block is copied exactly from the file and must stand there once; "R 2" takes the second match.
Between operations, # begins a comment. Example:
LP1
F src/greet.py
R
    print("hi")
.
    print("hello")
    log("greeted")
.
END`
