;;; tongs-source-test.el --- The sources themselves  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What an archive of packages would refuse is refused here first.

;;; Code:

(require 'bytecomp)
(require 'checkdoc)
(require 'lisp-mnt)
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

(defun tongs-test-homepage ()
  "Return the home page that the project names in its package.json, or nil."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "../package.json" (file-name-directory (locate-library "tongs.el"))))
    (alist-get 'homepage (json-parse-buffer :object-type 'alist))))

(defconst tongs-test-lint-no-homepage "tongs.el:1: Package should have a Homepage or URL header."
  "What the linter says of a project that has no home page.")

(ert-deftest tongs-test-passes-the-linter-of-packages ()
  (tongs-test-load-linter)
  ;; A project without a home page names none, least of all that of somebody else.
  (let ((homepage (tongs-test-homepage)))
    (should (equal (mapcan #'tongs-test-lint tongs-test-sources)
                   (and (null homepage) (list tongs-test-lint-no-homepage))))
    (with-temp-buffer
      (insert-file-contents (locate-library "tongs.el"))
      (should (equal homepage (lm-header "URL"))))))

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
