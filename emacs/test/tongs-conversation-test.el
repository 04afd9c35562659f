;;; tongs-conversation-test.el --- Conversations and their calls  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Each test is a person at Emacs, a real agent, and a model with a script.

;;; Code:

(require 'tongs-test-help)

(defconst tongs-test-write
  (tongs-test-says "I write it." '("c1" "write_file" ((path . "a.txt") (content . "new\n"))))
  "A turn that writes a file.")

(ert-deftest tongs-test-asks-in-a-diff-and-lands-after-a-yes ()
  (tongs-test-with (list tongs-test-write (tongs-test-says "Done.")) nil
    (let ((session (tongs-test-open)))
      (tongs-test-type session "write it")
      (let ((question (tongs-test-question session)))
        (tongs-test-shown session "I write it.")
        (should (string-search "? write_file a.txt" (tongs-test-text session)))
        (should-not (tongs-test-get "a.txt"))
        (with-current-buffer question
          (should (derived-mode-p 'diff-mode))
          (should (string-search "+new" (buffer-string)))
          (tongs-test-press "y")))
      (tongs-test-shown session "Done.")
      (tongs-test-idle session)
      (should (equal "new\n" (tongs-test-get "a.txt")))
      (should (string-match-p "^✓ write_file a.txt  [0-9.]+ m?s$" (tongs-test-text session)))
      (should (equal "" (with-current-buffer (tongs-session-buffer session) (tongs-view-typed)))))))

(provide 'tongs-conversation-test)
;;; tongs-conversation-test.el ends here
