;;; tongs-source-test.el --- The sources themselves  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What an archive of packages would refuse is refused here first.

;;; Code:

(require 'bytecomp)
(require 'checkdoc)
(require 'tongs-test-help)

(defconst tongs-test-sources
  (directory-files (file-name-directory (locate-library "tongs.el")) t "\\`tongs.*\\.el\\'")
  "The files of the package.")

(ert-deftest tongs-test-compiles-without-warnings ()
  (let* ((folder (make-temp-file "tongs-elc" t))
         (byte-compile-dest-file-function
          (lambda (file) (expand-file-name (concat (file-name-nondirectory file) "c") folder)))
         (byte-compile-error-on-warn t))
    (unwind-protect
        (dolist (file tongs-test-sources)
          (should (eq t (byte-compile-file file))))
      (delete-directory folder t))))

(ert-deftest tongs-test-documents-everything ()
  (let ((text-quoting-style 'grave) problems)
    (dolist (file tongs-test-sources)
      (let ((checkdoc-create-error-function
             (lambda (text start _end &optional _unfixable)
               (push (format "%s:%d: %s" (file-name-nondirectory file)
                             (if start (line-number-at-pos start) 0) text)
                     problems)
               nil)))
        (with-current-buffer (find-file-noselect file)
          (checkdoc-current-buffer t))))
    (should-not problems)))

(provide 'tongs-source-test)
;;; tongs-source-test.el ends here
