;;; tongs-ask.el --- Questions of the agent, as diffs  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A question is a buffer: what there is to know first, the diff below it.  It is
;; shown but not selected, so that a key meant for other text cannot answer it.
;; Only a command of its own says yes; a buffer that is killed leaves the
;; question open.

;;; Code:

(require 'tongs-view)

(defvar-local tongs-ask-question nil
  "The question of this buffer: an alist of its session, id, params and state.")

(defvar tongs-approval-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map "y" #'tongs-approve-once)
    (define-key map "t" #'tongs-approve-for-a-time)
    (define-key map "s" #'tongs-approve-scope)
    (define-key map "d" #'tongs-deny)
    (define-key map "l" #'tongs-decide-later)
    (define-key map "q" #'tongs-decide-later)
    (define-key map "h" #'tongs-toggle-hunk)
    (define-key map "c" #'tongs-choose)
    (define-key map "?" #'describe-mode)
    map)
  "Keys in a question.")

(define-derived-mode tongs-approval-mode tongs-diff-mode "Tongs-Question"
  "A question of the agent.

\\{tongs-approval-mode-map}"
  (add-hook 'kill-buffer-hook #'tongs-ask--killed nil t))

(defun tongs-ask (session id params)
  "Ask about request ID of the agent of SESSION, with PARAMS; return the buffer."
  (let* ((own (tongs-get params '_meta 'tongs))
         (tool-call (tongs-get params 'toolCall))
         (call (gethash (tongs-get tool-call 'toolCallId) (tongs-session-calls session)))
         (buffer (generate-new-buffer
                  (format "*tongs question: %s*" (or (tongs-get own 'call 'name)
                                                     (tongs-get tool-call 'title))))))
    (with-current-buffer buffer
      (setq default-directory (tongs-session-root session))
      (tongs-approval-mode)
      (setq tongs-ask-question (list (cons 'session session) (cons 'id id)
                                     (cons 'params params) (cons 'call call)))
      (let ((inhibit-read-only t)) (tongs-ask--draw params own))
      (set-buffer-modified-p nil)
      (goto-char (point-min)))
    (puthash id buffer (tongs-session-questions session))
    (when call
      (setf (tongs-call-question call) (lambda () (tongs-ask-show buffer)))
      (tongs-view-redraw session call))
    (display-buffer buffer)
    (message "Tongs asks: %s" (tongs-view-words (or (tongs-get own 'summary) (tongs-get tool-call 'title) "")))
    buffer))

(defun tongs-ask-show (buffer)
  "Go to the question in BUFFER."
  (if (buffer-live-p buffer) (pop-to-buffer buffer) (user-error "This question is answered")))

(defun tongs-ask--facts (params)
  "Return the sentences of the question with PARAMS."
  (mapconcat #'identity
             (delq nil (mapcar (lambda (part)
                                 (when-let ((text (tongs-get part 'content 'text)))
                                   (tongs-ask--without-fences text)))
                               (tongs-get params 'toolCall 'content)))
             "\n"))

(defun tongs-ask--without-fences (text)
  "Return TEXT with its blocks of code indented, and without their fences.
A fence is as long at the end of its block as at its beginning, and nothing
in the block is."
  (with-temp-buffer
    (insert text)
    (goto-char (point-min))
    (while (re-search-forward "^\\(````*\\)text\n" nil t)
      (let ((beginning (match-beginning 0))
            (fence (match-string 1))
            (inside (copy-marker (match-end 0))))
        (when (re-search-forward (concat "^" fence "$") nil t)
          (replace-match "")
          (delete-char -1)
          (indent-rigidly inside (point) 2)
          (delete-region beginning inside))))
    (buffer-string)))

(defun tongs-ask--draw (params own)
  "Draw the question with PARAMS, whose own part is OWN."
  (let* ((summary (tongs-view-spelled
                   (or (tongs-get own 'summary) (tongs-get params 'toolCall 'title) "A question")))
         (facts (tongs-view-spelled (or (tongs-ask--facts params) ""))))
    (insert (propertize summary 'font-lock-face 'bold) "\n"
            ;; A small window has to show the diff too.
            (replace-regexp-in-string
             "\n\n+" "\n" (string-trim (string-remove-prefix summary facts) "\n+"))
            "\n"))
  (when (and (tongs-get own 'diff) (not (tongs-get own 'layer))
             (member (tongs-get params 'toolCall 'kind) '("edit" "delete" "move")))
    (insert "Undo: M-x tongs-undo takes it back exactly.\n"))
  (insert "\n")
  (push (cons 'diff (point-marker)) tongs-ask-question)
  (when-let ((diff (tongs-get own 'diff)))
    (insert (tongs-view-diff diff)))
  (push (cons 'diff-end (point-marker)) tongs-ask-question)
  (insert "\n")
  (dolist (option (tongs-get params 'options))
    (insert (format "  %s  %s\n" (tongs-ask--key (tongs-get option 'optionId))
                    (tongs-view-spelled (tongs-get option 'name)))))
  (when (tongs-get own 'hunks)
    (insert "  h  Leave out the hunk at point, or take it in again\n"))
  (setq header-line-format
        (concat " " (string-join
                     (append (seq-uniq (mapcar (lambda (option)
                                                 (tongs-ask--short (tongs-get option 'optionId)))
                                               (tongs-get params 'options)))
                             (and (tongs-get own 'hunks) '("h: hunk")))
                     "   "))))

(defun tongs-ask--short (option)
  "Return the key for OPTION and what it means, in a word or two."
  (let ((key (tongs-ask--key option)))
    (concat key ": " (pcase key
                       ("y" "yes, once") ("t" "for a time") ("s" "for a scope")
                       ("d" "deny") ("l" "later") (_ "choose")))))

(defun tongs-ask--key (option)
  "Return the key for OPTION."
  (pcase option
    ("once" "y")
    ("duration" "t")
    ((pred (string-prefix-p "scope-")) "s")
    ("deny" "d")
    ("later" "l")
    (_ "c")))

;; Answering.

(defun tongs-ask--here ()
  "Return the question of this buffer, which is not answered."
  (cond ((null tongs-ask-question) (user-error "This buffer is not a question"))
        ((alist-get 'is-answered tongs-ask-question) (user-error "This question is answered"))
        (t tongs-ask-question)))

;; The window of a question that goes away may be given to another one, and a key is held or comes twice.
(defcustom tongs-answer-pause 0.5
  "Seconds without a key after a question went, before a key answers another."
  :type 'number
  :group 'tongs)

(defvar tongs-ask--disturbed 0.0
  "When a question last went away, or a key came too soon after that.")

(defun tongs-ask--heed ()
  "Signal an error if the last key may have been meant for a question that is gone."
  (let ((now (float-time)))
    (when (< (- now tongs-ask--disturbed) tongs-answer-pause)
      (setq tongs-ask--disturbed now)
      (user-error "Another question was here a moment ago: read this one, then press the key again"))))

(defun tongs-ask--options (question)
  "Return the options of QUESTION."
  (tongs-get (alist-get 'params question) 'options))

(defun tongs-ask--answer (option &optional own)
  "Answer the question of this buffer with OPTION and OWN, an alist of ours."
  (let* ((question (tongs-ask--here))
         (session (alist-get 'session question)))
    (unless (cl-some (lambda (one) (equal option (tongs-get one 'optionId)))
                     (tongs-ask--options question))
      (user-error "This question cannot be answered so"))
    (tongs-agent-respond session (alist-get 'id question)
                         `((outcome . ((outcome . "selected") (optionId . ,option)))
                           ,@(and own `((_meta . ((tongs . ,own)))))))
    (tongs-ask--close)))

(defun tongs-ask--close ()
  "Note that the question of this buffer is over, and kill the buffer."
  (let* ((question tongs-ask-question)
         (session (alist-get 'session question))
         (call (alist-get 'call question))
         (buffer (current-buffer)))
    (push '(is-answered . t) tongs-ask-question)
    (setq tongs-ask--disturbed (float-time))
    (remhash (alist-get 'id question) (tongs-session-questions session))
    (when call
      (setf (tongs-call-question call) nil)
      (tongs-view-redraw session call))
    (when-let ((window (get-buffer-window buffer)))
      (quit-window nil window)
      ;; Whoever gave the question all the room wants to see what comes of the answer.
      (unless (or (not (window-live-p window))
                  (get-buffer-window (tongs-session-buffer session)))
        (set-window-buffer window (tongs-session-buffer session))))
    (tongs-ask--leave session)
    (when (buffer-live-p buffer) (kill-buffer buffer))))

(defun tongs-ask--leave (session)
  "Select the conversation of SESSION if another question got the selected window."
  (when (buffer-local-value 'tongs-ask-question (window-buffer))
    (when-let ((window (get-buffer-window (tongs-session-buffer session))))
      (select-window window))))

(defun tongs-ask--killed ()
  "Leave the question of this buffer open, as the buffer is being killed."
  (unless (or (null tongs-ask-question) (alist-get 'is-answered tongs-ask-question))
    (let ((question tongs-ask-question))
      (push '(is-answered . t) tongs-ask-question)
      (tongs-ask--put-off question))))

(defun tongs-ask--put-off (question)
  "Tell the agent that QUESTION stays open."
  (let ((session (alist-get 'session question))
        (call (alist-get 'call question)))
    (remhash (alist-get 'id question) (tongs-session-questions session))
    (when call
      (setf (tongs-call-question call) nil)
      (tongs-view-note-waiting session (tongs-call-id call)))
    (when (tongs-agent-live-p session)
      (tongs-agent-respond
       session (alist-get 'id question)
       (if (cl-some (lambda (one) (equal "later" (tongs-get one 'optionId)))
                    (tongs-ask--options question))
           '((outcome . ((outcome . "selected") (optionId . "later"))))
         '((outcome . ((outcome . "cancelled")))))))))

(defun tongs-ask-withdraw (session id)
  "Remove question ID of SESSION, which the agent does not ask any more."
  (when-let ((buffer (gethash id (tongs-session-questions session))))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer (tongs-ask--close)))
    (when (tongs-agent-live-p session)
      (tongs-agent-reject session id "Cancelled" -32800))))

(defun tongs-ask-withdraw-all (session)
  "Remove the questions of SESSION without an answer, as its agent is gone."
  (dolist (buffer (hash-table-values (tongs-session-questions session)))
    (when (buffer-live-p buffer)
      (let ((call (alist-get 'call (buffer-local-value 'tongs-ask-question buffer))))
        (with-current-buffer buffer (tongs-ask--close))
        ;; It is on record, and waits for the next agent.
        (when call (tongs-view-note-waiting session (tongs-call-id call)))))))

(defun tongs-approve-once ()
  "Say yes, this once; if hunks are left out, to the others only."
  (interactive (ignore (tongs-ask--heed)))
  (let* ((question (tongs-ask--here))
         (left-out (alist-get 'left-out question))
         (all (tongs-ask--hunk-lines question))
         (taken (cl-loop for number from 1 to (length all)
                         unless (memq number left-out) collect number)))
    (when (and left-out (null taken))
      (user-error "Every hunk is left out; deny it instead"))
    (tongs-ask--answer "once" (and left-out `((hunks . ,(vconcat taken)))))))

(defun tongs-approve-for-a-time ()
  "Say yes, and to everything this tool does for the configured time."
  (interactive (ignore (tongs-ask--heed)))
  (tongs-ask--answer "duration"))

(defun tongs-approve-scope (option)
  "Say yes until revoked, to everything that OPTION covers."
  (interactive (list (tongs-ask--read-option "Allow: " "scope-")))
  (tongs-ask--answer option))

(defun tongs-deny (say)
  "Say no; the model is told SAY, unless it is empty."
  (interactive (progn (tongs-ask--heed) (list (read-string "Deny, and tell the model: "))))
  (tongs-ask--answer "deny" (and (not (string-blank-p say)) `((say . ,say)))))

(defun tongs-choose (option)
  "Answer with OPTION, one of those that are listed."
  (interactive (list (tongs-ask--read-option "Answer: " "")))
  (pcase option
    ("once" (tongs-approve-once))
    ("deny" (call-interactively #'tongs-deny))
    (_ (tongs-ask--answer option))))

(defun tongs-decide-later ()
  "Leave the question open."
  (interactive)
  (tongs-ask--here)
  (kill-buffer))

(defun tongs-ask--read-option (prompt prefix)
  "Read with PROMPT one of the options whose ids begin with PREFIX."
  (tongs-ask--heed)
  (let* ((options (cl-remove-if-not
                   (lambda (one) (string-prefix-p prefix (tongs-get one 'optionId)))
                   (tongs-ask--options (tongs-ask--here))))
         (names (mapcar (lambda (one) (cons (tongs-view-spelled (tongs-get one 'name))
                                            (tongs-get one 'optionId)))
                        options)))
    (pcase names
      ('nil (user-error "This question offers no such answer"))
      (_ (cdr (assoc (completing-read prompt names nil t nil nil (caar names)) names))))))

;; Hunks.

(defun tongs-ask--hunk-lines (question)
  "Return the lines of the diff of QUESTION at which its hunks begin."
  (tongs-get (alist-get 'params question) '_meta 'tongs 'hunks 'lines))

(defun tongs-ask--hunk-at-point (question)
  "Return the number of the hunk of QUESTION at point, from 1."
  (let* ((diff (alist-get 'diff question))
         (line (- (line-number-at-pos) (line-number-at-pos diff))))
    (when (< (point) (alist-get 'diff-end question))
      (cl-loop for start in (tongs-ask--hunk-lines question)
               for number from 1
               when (<= start line) maximize number))))

(defun tongs-toggle-hunk ()
  "Leave out the hunk at point, or take it in again."
  (interactive)
  (let* ((question (tongs-ask--here))
         (lines (or (tongs-ask--hunk-lines question)
                    (user-error "This can only be approved as a whole")))
         (number (or (tongs-ask--hunk-at-point question) (user-error "There is no hunk here")))
         (group (or (cl-find-if (lambda (one) (memq number one))
                                (tongs-get (alist-get 'params question)
                                           '_meta 'tongs 'hunks 'together))
                    (list number)))
         (left-out (alist-get 'left-out question)))
    (setf (alist-get 'left-out tongs-ask-question)
          (if (memq number left-out)
              (cl-set-difference left-out group)
            (cl-union left-out group)))
    (tongs-ask--mark (alist-get 'left-out tongs-ask-question)
                     (alist-get 'diff question) (alist-get 'diff-end question) lines)))

(defun tongs-ask--mark (left-out diff diff-end lines)
  "Show that the hunks LEFT-OUT are not taken.
They begin at LINES of the text from DIFF to DIFF-END."
  (remove-overlays (point-min) (point-max) 'tongs-left-out t)
  (save-excursion
    (dolist (number left-out)
      (goto-char diff)
      (forward-line (nth (1- number) lines))
      (let* ((start (point))
             (end (if-let ((next (nth number lines)))
                      (progn (goto-char diff) (forward-line next) (point))
                    diff-end))
             (overlay (make-overlay start end)))
        (overlay-put overlay 'tongs-left-out t)
        (overlay-put overlay 'face 'shadow)
        (overlay-put overlay 'before-string (propertize "left out: " 'face 'warning))))))

(provide 'tongs-ask)
;;; tongs-ask.el ends here
