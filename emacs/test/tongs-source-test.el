;;; tongs-source-test.el --- The sources themselves  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What an archive of packages would refuse is refused here first.

;;; Code:

(require 'bytecomp)
(require 'checkdoc)
(require 'tongs-test-help)

(defvar package-lint-main-file)
(declare-function package-lint-buffer "package-lint")

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

;; The linter of the archives.

(defconst tongs-test-lint-folders
  '("/usr/share/emacs/site-lisp/elpa-src/" "/usr/share/emacs/site-lisp/elpa/" "~/.emacs.d/elpa/")
  "Where Debian and `package-install' put the linter; -Q leaves them out.")

(defun tongs-test-load-linter ()
  "Load the linter of packages, or say how to get it."
  (dolist (folder tongs-test-lint-folders)
    (dolist (library '("let-alist" "package-lint"))
      (dolist (found (file-expand-wildcards (concat folder library "-[0-9]*")))
        (add-to-list 'load-path found))))
  (unless (require 'package-lint nil t)
    (ert-fail "package-lint is missing; install elpa-package-lint (Debian), or package-lint from an archive")))

(defconst tongs-test-lint-is-old
  "This makes the package uninstallable in all released Emacs versions."
  "What versions of the linter from before Emacs 28 say about needing it.")

(defun tongs-test-lint (file)
  "Return what the linter finds in FILE, a part of the package."
  (let ((package-lint-main-file (expand-file-name "tongs.el" (file-name-directory file))))
    (with-temp-buffer
      (insert-file-contents file t)
      (emacs-lisp-mode)
      (cl-loop for (line _column _kind text) in (package-lint-buffer)
               unless (equal text tongs-test-lint-is-old)
               collect (format "%s:%d: %s" (file-name-nondirectory file) line text)))))

(ert-deftest tongs-test-passes-the-linter-of-packages ()
  (tongs-test-load-linter)
  (should-not (mapcan #'tongs-test-lint tongs-test-sources)))

(ert-deftest tongs-test-linter-sees-a-fault ()
  (tongs-test-load-linter)
  (let* ((folder (make-temp-file "tongs-lint" t))
         (file (expand-file-name "tongs.el" folder)))
    (unwind-protect
        (progn
          (copy-file (locate-library "tongs.el") file)
          (with-temp-buffer
            (insert-file-contents file)
            (goto-char (point-min))
            (search-forward ";;; Code:")
            (insert "\n(defun other-name () nil)\n")
            (write-region nil nil file nil 'silent))
          (should (string-match-p "other-name" (string-join (tongs-test-lint file) "\n"))))
      (delete-directory folder t))))

(provide 'tongs-source-test)
;;; tongs-source-test.el ends here
