/** A short guide to LP1 for a model's instructions. */
export function formatLp1Guide(): string {
  return GUIDE
}

const GUIDE = `An LP1 patch edits text files by whole lines, at several places and in several files together. First line: LP1. Last line: END.
"F path" begins the edits of one file; a path with blanks goes in double quotes.
Below it come operations, each seeing what the earlier ones left:
  R     find block, new block   replace the lines found
  I     find block, new block   insert after the lines found
  P     find block, new block   insert before the lines found
  E     find block              delete the lines found
  T     new block               append at the end of the file
  B     new block               put at the start of the file
  N + / N -                     end the file with / without a newline
A block is any number of lines and then a line that is just "." to close it.
A line of text that begins with a dot gets one more dot in front: ".env" is written "..env".
A find block is copied exactly from the file, white space included, and must stand there once.
If it stands there more than once, add lines around it or number the match: "R 2" is the second.
T and B create a file that is missing; R, I, P and E need one that exists.
Lines that begin with # between operations are comments; inside a block they are text.
All files change, or none does. Example:
LP1
F src/greet.py
R
    print("hi")
.
    print("hello")
    log("greeted")
.
END`
