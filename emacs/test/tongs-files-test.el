;;; tongs-files-test.el --- Buffers that the agent reads and changes  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Unsaved text, read-only buffers, and clean buffers that follow their files.

;;; Code:

(require 'tongs-test-help)

(defconst tongs-test-read (tongs-test-says "" '("r" "read_file" ((path . "a.txt"))))
  "A turn that reads a file.")

(defun tongs-test-edit (old new)
  "Return a turn that replaces OLD by NEW."
  (tongs-test-says "" `("e" "edit_file" ((path . "a.txt") (old . ,old) (new . ,new)))))

(defun tongs-test-visit (name)
  "Return a buffer that visits NAME."
  (find-file-noselect (expand-file-name name tongs-test-root)))

(ert-deftest tongs-test-unsaved-text-is-read-and-changed-in-its-buffer ()
  (tongs-test-with (list tongs-test-read (tongs-test-edit "typed" "EDITED") (tongs-test-says "Done."))
      '(("a.txt" . "saved\n"))
    (setq tongs-preset "edits")
    (let ((buffer (tongs-test-visit "a.txt"))
          (session (tongs-test-open))
          place)
      (with-current-buffer buffer
        (goto-char (point-max))
        (insert "typed\nlast\n")
        (undo-boundary)
        (search-backward "last")
        (setq place (point-marker)))
      (tongs-test-type session "edit it")
      (tongs-test-shown session "Done.")
      (tongs-test-idle session)
      (with-current-buffer buffer
        (should (equal "saved\nEDITED\nlast\n" (buffer-string)))
        (should (buffer-modified-p))
        (should (equal "saved\n" (tongs-test-get "a.txt")))
        (should (looking-at "last"))
        (save-excursion (goto-char place) (should (looking-at "last")))
        ;; The edit is one step of the undo of Emacs.
        (let ((last-command nil)) (undo))
        (should (equal "saved\ntyped\nlast\n" (buffer-string)))))))

(ert-deftest tongs-test-clean-buffer-follows-its-file ()
  (tongs-test-with (list tongs-test-read (tongs-test-edit "two" "2") (tongs-test-says "Done."))
      '(("a.txt" . "one\ntwo\nthree\n"))
    (setq tongs-preset "edits")
    (let ((buffer (tongs-test-visit "a.txt"))
          (session (tongs-test-open))
          place)
      (with-current-buffer buffer
        (goto-char (point-max))
        (search-backward "three")
        (setq place (point-marker))
        (let ((overlay (make-overlay (point) (point-max)))) (overlay-put overlay 'invisible 'fold)))
      (tongs-test-type session "edit it")
      (tongs-test-shown session "Done.")
      (tongs-test-idle session)
      (with-current-buffer buffer
        (should (equal "one\n2\nthree\n" (buffer-string)))
        (should-not (buffer-modified-p))
        (should (verify-visited-file-modtime buffer))
        (should-not (file-locked-p buffer-file-name))
        (should (looking-at "three"))
        (should (= place (point)))
        (should (eq 'fold (get-char-property (point) 'invisible)))))))

(ert-deftest tongs-test-unsaved-read-only-buffer-is-not-changed ()
  (tongs-test-with (list tongs-test-read (tongs-test-edit "typed" "EDITED") (tongs-test-says "Done."))
      '(("a.txt" . "saved\n"))
    (setq tongs-preset "edits")
    (let ((buffer (tongs-test-visit "a.txt"))
          (session (tongs-test-open)))
      (with-current-buffer buffer
        (goto-char (point-max))
        (insert "typed\n")
        (setq buffer-read-only t))
      (tongs-test-type session "edit it")
      (tongs-test-shown session "Done.")
      (should (string-match-p "^✗ edit_file" (tongs-test-text session)))
      (should (string-search "read-only in Emacs" (tongs-test-text session)))
      (with-current-buffer buffer (should (equal "saved\ntyped\n" (buffer-string)))))))

(ert-deftest tongs-test-buffers-keep-line-ends-and-mark ()
  (tongs-test-with nil nil
    (let ((file (expand-file-name "dos.txt" tongs-test-root))
          (session (tongs-session--make :root tongs-test-root))
          (coding-system-for-write 'utf-8-with-signature-dos))
      (write-region "one\ntwo\n" nil file nil 'silent)
      (with-current-buffer (tongs-test-visit "dos.txt")
        (goto-char (point-max))
        (insert "three\n")
        (should (equal "\ufeffone\r\ntwo\r\nthree\r\n" (tongs-files-read session file)))
        (tongs-files-write session file "\ufeffone\r\n3\r\n")
        (should (equal "one\n3\n" (buffer-string))))
      (should-error (tongs-files-read session "/etc/passwd"))
      (should-error (tongs-files-write session (expand-file-name "../out.txt" tongs-test-root) "x"))
      (let ((coding-system-for-write 'no-conversion))
        (write-region "\xff\xfe" nil (expand-file-name "odd" tongs-test-root) nil 'silent)
        (should-error (tongs-files-read session (expand-file-name "odd" tongs-test-root)))))))

(ert-deftest tongs-test-undo-lists-its-files-first ()
  (tongs-test-with (list tongs-test-read (tongs-test-edit "old" "new") (tongs-test-says "Done."))
      '(("a.txt" . "old\n"))
    (setq tongs-preset "edits")
    (let ((session (tongs-test-open)) (buffer (tongs-test-visit "a.txt")) listed)
      (tongs-test-type session "edit it")
      (tongs-test-shown session "Done.")
      (tongs-test-idle session)
      (set-buffer (tongs-session-buffer session))
      (cl-letf (((symbol-function 'yes-or-no-p)
                 (lambda (_) (setq listed (with-current-buffer "*tongs undo*" (buffer-string))) nil)))
        (tongs-test-press "C-c C-u"))
      (should (string-search "a.txt: restored" listed))
      (should (equal "new\n" (tongs-test-get "a.txt")))
      (cl-letf (((symbol-function 'yes-or-no-p) #'always))
        (tongs-test-press "C-c C-u")
        (should (equal "old\n" (tongs-test-get "a.txt")))
        (should (equal "old\n" (with-current-buffer buffer (buffer-string))))
        (should (string-search "Undone: a.txt" (tongs-test-text session)))
        (should-error (tongs-test-press "C-c C-u") :type 'user-error)
        (tongs-test-press "C-c C-r")
        (should (equal "new\n" (with-current-buffer buffer (buffer-string))))))))

(provide 'tongs-files-test)
;;; tongs-files-test.el ends here
