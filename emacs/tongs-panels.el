;;; tongs-panels.el --- Output, tasks and undo lists of a conversation  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Buffers beside a conversation: what a command writes while it runs, the work
;; items of the session, and what an undo or redo would do.

;;; Code:

(require 'tabulated-list)
(require 'tongs-view)
(require 'tongs-files)

(defcustom tongs-output-characters 1000000
  "How much of the output of a command its buffer keeps; the beginning is dropped."
  :type 'natnum
  :group 'tongs)

;; Output.

(define-derived-mode tongs-output-mode special-mode "Tongs-Output"
  "What a command writes while it runs.  It follows the end of the output."
  (setq-local window-point-insertion-type t)
  (setq-local scroll-conservatively 101)
  (setq mode-line-process ":running")
  (buffer-disable-undo))

(defun tongs-panels--make-output (session id)
  "Make the buffer for the output of call ID of SESSION."
  (let* ((call (gethash id (tongs-session-calls session)))
         (title (truncate-string-to-width
                 (string-replace "\n" " " (if call (tongs-call-title call) id)) 60 nil nil t))
         (buffer (generate-new-buffer (format "*tongs output: %s*" title))))
    (puthash id buffer (tongs-session-outputs session))
    (with-current-buffer buffer
      (setq default-directory (tongs-session-root session))
      (tongs-output-mode))
    (when call (tongs-view-redraw session call))
    buffer))

(defun tongs-panels-output (session id chunk)
  "Show CHUNK, which the command of call ID of SESSION has written."
  (let ((buffer (or (tongs-view-output session id) (tongs-panels--make-output session id))))
    (with-current-buffer buffer
      (let* ((inhibit-read-only t)
             (end (point-max))
             (follows (cl-remove-if-not (lambda (window) (= (window-point window) end))
                                        (get-buffer-window-list buffer nil t)))
             (is-at-end (= (point) end)))
        (save-excursion
          (goto-char end)
          (insert (tongs-view-plain (string-replace "\r\n" "\n" chunk)))
          (when (> (buffer-size) tongs-output-characters)
            (goto-char (- (point-max) tongs-output-characters))
            (forward-line 1)
            (delete-region (point-min) (point))))
        (when is-at-end (goto-char (point-max)))
        (dolist (window follows) (set-window-point window (point-max)))
        (set-buffer-modified-p nil)))
    buffer))

(defun tongs-panels-note-end (session call)
  "Say beside the output of CALL of SESSION how the call has ended."
  (when-let ((buffer (tongs-view-output session (tongs-call-id call))))
    (with-current-buffer buffer
      (setq mode-line-process
            (pcase (tongs-call-status call)
              ("completed" ":done") ("failed" ":failed") ("interrupted" ":interrupted")
              (_ mode-line-process)))
      (force-mode-line-update))))

(defun tongs-panels-close (session)
  "Kill the buffers beside SESSION, whose conversation is killed."
  (dolist (buffer (cons (get-buffer (tongs-tasks--buffer session))
                        (hash-table-values (tongs-session-outputs session))))
    (when (buffer-live-p buffer) (kill-buffer buffer))))

;; Tasks.

(defvar-local tongs-tasks--session nil
  "The conversation whose work items this buffer lists.")

(defvar tongs-tasks-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'tongs-tasks-visit)
    (define-key map "o" #'tongs-tasks-visit)
    (define-key map [mouse-2] #'tongs-tasks-visit-mouse)
    (define-key map [follow-link] 'mouse-face)
    map)
  "Keys in the list of work items.")

(define-derived-mode tongs-tasks-mode tabulated-list-mode "Tongs-Tasks"
  "The work items of a conversation.

\\{tongs-tasks-mode-map}"
  (setq tabulated-list-format [("Status" 12 t) ("Title" 50 t) ("Place" 30 t)])
  (setq tabulated-list-padding 1)
  (tabulated-list-init-header)
  (add-hook 'tabulated-list-revert-hook #'tongs-tasks--fetch nil t))

(defun tongs-tasks--buffer (session)
  "Return the name of the buffer with the work items of SESSION."
  (format "*tongs tasks: %s*"
          (abbreviate-file-name (directory-file-name (tongs-session-root session)))))

(defun tongs-panels-tasks (session)
  "Show the work items of SESSION; return the buffer."
  (let ((buffer (get-buffer-create (tongs-tasks--buffer session))))
    (with-current-buffer buffer
      (unless (derived-mode-p 'tongs-tasks-mode) (tongs-tasks-mode))
      (setq tongs-tasks--session session
            default-directory (tongs-session-root session))
      (tongs-tasks--fetch)
      (tabulated-list-print t))
    (pop-to-buffer buffer)
    buffer))

(defun tongs-panels-refresh-tasks (session)
  "Show the work items of SESSION again, if they are shown."
  (when-let ((buffer (get-buffer (tongs-tasks--buffer session))))
    (tongs-agent-request
     session "_tongs/tasks" `((sessionId . ,(tongs-session-id session)))
     (lambda (result)
       (when (buffer-live-p buffer)
         (with-current-buffer buffer
           (tongs-tasks--set result)
           (tabulated-list-print t))))
     #'ignore)))

(defun tongs-tasks--fetch ()
  "Ask the agent for the work items of this buffer."
  (tongs-tasks--set
   (tongs-agent-wait tongs-tasks--session "_tongs/tasks"
                     `((sessionId . ,(tongs-session-id tongs-tasks--session))))))

(defun tongs-tasks--set (result)
  "Make the work items in RESULT the rows of this buffer."
  (setq tabulated-list-entries
        (mapcar #'tongs-tasks--row
                (append (tongs-get result 'todos) (tongs-get result 'tasks)))))

(defun tongs-tasks--row (item)
  "Return the row of ITEM."
  (let* ((place (or (tongs-get item 'location) (car (tongs-get item 'links))))
         (path (tongs-get place 'path))
         (line (tongs-get place 'line)))
    (list (and path (list path line))
          (vector (or (tongs-get item 'status) "")
                  (tongs-view-words (or (tongs-get item 'title) ""))
                  (if path
                      (propertize
                       (tongs-view-words (format "%s%s" path (if line (format ":%d" line) "")))
                       'face 'link 'mouse-face 'highlight)
                    "")))))

(defun tongs-tasks-visit ()
  "Visit the place of the work item at point, after checking that it exists."
  (interactive)
  (let ((place (tabulated-list-get-id)))
    (unless place (user-error "This work item names no place"))
    (tongs-view-visit (tongs-session-root tongs-tasks--session) place t)))

(defun tongs-tasks-visit-mouse (event)
  "Visit the place of the work item at EVENT."
  (interactive "e")
  (mouse-set-point event)
  (tongs-tasks-visit))

;; Undo and redo.

(defun tongs-panels-revert (session kind options)
  "Undo or redo (KIND) in SESSION with OPTIONS, after showing the files.
Return what the agent answered, or nil if you decided against it."
  (let* ((asked `((sessionId . ,(tongs-session-id session)) ,@options))
         (listed (tongs-panels--look-ahead session kind asked))
         (is-merge (tongs-get listed 'is-merge))
         (buffer (tongs-panels--list kind session listed)))
    (unwind-protect
        (progn
          (display-buffer buffer)
          (when (yes-or-no-p
                 (format "%s %s%s? " (if is-merge "Merge and take back the changes of" (capitalize kind))
                         (tongs-view-count (length (tongs-get listed 'files)) "file" "files")
                         (if is-merge " that changed since" "")))
            ;; Exactly what was listed: if it would do something else now, nothing is changed.
            (let ((done (tongs-agent-wait
                         session (format "_tongs/%s" kind)
                         `(,@asked ,@(and is-merge '((merge . t)))
                           (shown . ,(tongs-get listed 'shown))))))
              (tongs-files-follow session)
              (unless (tongs-get done 'ok)
                (user-error "%s" (or (tongs-get done 'message) (format "The %s failed" kind))))
              (let ((words (format "%s: %s" (if (equal kind "undo") "Undone" "Redone")
                                   (mapconcat (lambda (file) (tongs-view-name (tongs-get file 'path)))
                                              (tongs-get done 'files) ", "))))
                (tongs-view-notice session words)
                (message "%s" words))
              done)))
      (when-let ((window (get-buffer-window buffer))) (quit-window nil window))
      (kill-buffer buffer))))

(defun tongs-panels--look-ahead (session kind asked)
  "Return what KIND would do in SESSION as ASKED; an error if it cannot be done.
If files have changed since, an undo is looked at as a merge."
  (let* ((method (format "_tongs/%s" kind))
         (listed (tongs-agent-wait session method `(,@asked (dryRun . t)))))
    (when (and (not (tongs-get listed 'ok)) (tongs-get listed 'drifted) (equal kind "undo"))
      (let ((merged (tongs-agent-wait session method `(,@asked (merge . t) (dryRun . t)))))
        (when (tongs-get merged 'ok) (setq listed (cons '(is-merge . t) merged)))))
    (unless (tongs-get listed 'ok)
      (user-error "%s" (or (tongs-get listed 'message) (format "There is nothing to %s" kind))))
    listed))

(defun tongs-panels--list (kind session listed)
  "Return a buffer with what KIND would do in SESSION, as LISTED."
  (let ((buffer (get-buffer-create (format "*tongs %s*" kind))))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (erase-buffer)
        (tongs-diff-mode)
        (setq default-directory (tongs-session-root session))
        (insert (format "%s\n\n" (capitalize kind)))
        (dolist (file (tongs-get listed 'files))
          (insert (format "  %s: %s\n" (tongs-view-name (tongs-get file 'path))
                          (tongs-get file 'action))))
        (dolist (path (tongs-get listed 'drifted))
          (insert (format "  %s has changed since\n" (tongs-view-name path))))
        (when-let ((diff (tongs-get listed 'diff))) (insert "\n" (tongs-view-diff diff)))
        (goto-char (point-min)))
      (setq buffer-read-only t))
    buffer))

(provide 'tongs-panels)
;;; tongs-panels.el ends here
