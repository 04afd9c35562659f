;;; tongs-files.el --- Buffers that the agent reads and changes  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A buffer with unsaved text is what the agent reads and changes; a clean one
;; follows its file.  Both keep point, markers, folds and the undo list.

;;; Code:

(require 'vc-hooks)
(require 'tongs-agent)

(defun tongs-files--buffer (path)
  "Return the buffer that visits PATH, or nil."
  (find-buffer-visiting path))

(defun tongs-files--check-root (session path)
  "Signal an error unless PATH lies in the root of SESSION."
  (let ((root (file-truename (tongs-session-root session))))
    (unless (and (not (file-remote-p path))
                 (string-prefix-p (file-name-as-directory root) (file-truename path)))
      (error "%s lies outside of %s" path root))))

(defun tongs-files-read (session path)
  "Return the text of PATH for SESSION: that of its buffer if that is modified."
  (tongs-files--check-root session path)
  (let ((buffer (tongs-files--buffer path)))
    (if (and buffer (buffer-modified-p buffer))
        (tongs-files--buffer-text buffer)
      (tongs-files--disk-text path))))

(defun tongs-files--disk-text (path)
  "Return the text of the file PATH; an error if it is not UTF-8."
  ;; Reading a pipe or a device would never end.
  (unless (or (file-regular-p path) (not (file-exists-p path)))
    (error "%s is not a regular file" path))
  (with-temp-buffer
    (set-buffer-multibyte nil)
    (insert-file-contents-literally path)
    (let ((text (decode-coding-string (buffer-string) 'utf-8-unix t)))
      (when (string-match-p "[\x3fff80-\x3fffff]" text)
        (error "%s is not UTF-8" path))
      text)))

(defun tongs-files--line-ends (coding)
  "Return how lines end in a file with CODING."
  (pcase (coding-system-eol-type coding) (1 "\r\n") (2 "\r") (_ "\n")))

(defun tongs-files--has-mark (coding)
  "Return non-nil if a file with CODING begins with a byte order mark."
  (string-match-p "with-signature" (symbol-name coding)))

(defun tongs-files--buffer-text (buffer)
  "Return the text of BUFFER as it would be saved."
  (with-current-buffer buffer
    (save-restriction
      (widen)
      (let* ((coding (or buffer-file-coding-system 'utf-8-unix))
             (text (buffer-substring-no-properties (point-min) (point-max))))
        (concat (if (tongs-files--has-mark coding) "\ufeff" "")
                (string-replace "\n" (tongs-files--line-ends coding) text))))))

(defun tongs-files-read-only (path)
  "Return why PATH must not be changed, or nil."
  (when-let ((buffer (tongs-files--buffer path)))
    (when (buffer-local-value 'buffer-read-only buffer)
      (format "Buffer %s is read-only in Emacs; C-x C-q makes it writable" (buffer-name buffer)))))

(defun tongs-files-write (session path text)
  "Give PATH the content TEXT for SESSION, in its buffer if there is one."
  (tongs-files--check-root session path)
  (when-let ((why (tongs-files-read-only path)))
    (error "%s" why))
  (if-let ((buffer (tongs-files--buffer path)))
      (with-current-buffer buffer
        (let* ((coding (or buffer-file-coding-system 'utf-8-unix))
               (plain (string-replace (tongs-files--line-ends coding) "\n" text)))
          (tongs-files--replace
           (if (tongs-files--has-mark coding) (string-remove-prefix "\ufeff" plain) plain))))
    (let ((coding-system-for-write 'utf-8-unix))
      (write-region text nil path nil 'silent))))

(defconst tongs-files--seconds 0.1
  "How long the smallest change of a buffer is looked for.
After that its middle is replaced as a whole, and markers in it are lost.")

(defun tongs-files--replace (text)
  "Make TEXT the content of this buffer; a single step for `undo'."
  (let ((source (generate-new-buffer " *tongs text*" t)))
    (unwind-protect
        (save-excursion
          (save-restriction
            (widen)
            (with-current-buffer source (insert text))
            (undo-boundary)
            ;; What is the same at both ends is left alone, whatever happens in between.
            (when-let ((middle (tongs-files--differing source)))
              (narrow-to-region (nth 0 middle) (nth 1 middle))
              (with-current-buffer source
                (narrow-to-region (nth 0 middle) (nth 2 middle)))
              (replace-buffer-contents source tongs-files--seconds))
            (undo-boundary)))
      (kill-buffer source))))

(defun tongs-files--differing (source)
  "Return where this buffer and SOURCE differ: start, end, and end in SOURCE."
  (let* ((case-fold-search nil)
         (first (compare-buffer-substrings nil nil nil source nil nil)))
    (unless (zerop first)
      (let* ((start (abs first))
             (end (point-max))
             (source-end (with-current-buffer source (point-max)))
             (size 65536))
        ;; Backwards in blocks, which get smaller where something differs.
        (while (> size 0)
          (while (and (>= (- (min end source-end) size) start)
                      (zerop (compare-buffer-substrings
                              nil (- end size) end source (- source-end size) source-end)))
            (setq end (- end size) source-end (- source-end size)))
          (setq size (/ size 4)))
        (list start end source-end)))))

(defun tongs-files--is-plain (root path)
  "Return non-nil if PATH leads to a regular file in ROOT.
A link out of it, a pipe or a device may have come in its place."
  (let ((real (file-truename path)))
    (and (string-prefix-p root real) (file-regular-p real))))

(defun tongs-files-follow (session)
  "Make clean buffers in the root of SESSION show what is on disk now."
  (let ((root (file-name-as-directory (file-truename (tongs-session-root session)))))
    (dolist (buffer (buffer-list))
      (when-let ((file (buffer-local-value 'buffer-file-truename buffer)))
        (when (and (not (buffer-modified-p buffer))
                   (not (file-remote-p file))
                   (string-prefix-p root (expand-file-name file)))
          (with-current-buffer buffer
            (unless (or (verify-visited-file-modtime buffer)
                        (not (tongs-files--is-plain root buffer-file-name)))
              (tongs-files--follow-file))))))))

(defun tongs-files--follow-file ()
  "Make this clean buffer show its file."
  (let ((coding-system-for-read buffer-file-coding-system)
        (file buffer-file-name)
        (inhibit-read-only t)
        ;; A clean buffer must not be locked, nor ask whether its file has changed.
        (buffer-file-name nil))
    (tongs-files--replace (with-temp-buffer (insert-file-contents file) (buffer-string))))
  (set-visited-file-modtime)
  (set-buffer-modified-p nil)
  ;; The mode line says whether version control sees a change.
  (when (and vc-mode buffer-file-name) (vc-refresh-state)))

(provide 'tongs-files)
;;; tongs-files.el ends here
