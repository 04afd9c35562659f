;;; tongs-view.el --- What a conversation looks like  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Draws messages and calls above the place where a person types.  A call is a
;; header with the places it found below it; its JSON is drawn when unfolded.

;;; Code:

(require 'ansi-color)
(require 'diff-mode)
(require 'json)
(require 'text-property-search)
(require 'tongs-agent)

(defcustom tongs-display-thoughts t
  "Whether the reasoning of the model is shown, if it sends any."
  :type 'boolean
  :group 'tongs)

(defcustom tongs-display-rows 20
  "How many matches or failed tests are shown below a folded call."
  :type 'natnum
  :group 'tongs)

(defcustom tongs-display-characters 20000
  "How many characters of a result are shown when it is unfolded."
  :type 'natnum
  :group 'tongs)

(defface tongs-user '((t :inherit font-lock-keyword-face :weight bold))
  "What you have said."
  :group 'tongs)
(defface tongs-thought '((t :inherit shadow :slant italic))
  "The reasoning of the model."
  :group 'tongs)
(defface tongs-notice '((t :inherit font-lock-comment-face))
  "What Tongs says about the conversation."
  :group 'tongs)
(defface tongs-problem '((t :inherit error))
  "What went wrong."
  :group 'tongs)
(defface tongs-call '((t :inherit font-lock-function-name-face))
  "The header of a call."
  :group 'tongs)
(defface tongs-detail '((t :inherit shadow))
  "What is below a header."
  :group 'tongs)

(defface tongs-line '((t :inherit shadow :underline t :extend t))
  "The line above what is typed."
  :group 'tongs)

(defvar-local tongs-session nil
  "The conversation of this buffer.")

(defvar-local tongs-view-end nil
  "Where the conversation ends and the prompt begins.")
(defvar-local tongs-view-input nil
  "Where what is typed begins.")

(defvar-local tongs-view--recalled nil
  "Which prompt is recalled, from 1, and what was typed before, or nil.")

(defvar tongs-view-map (make-sparse-keymap)
  "Keys in the part of a conversation that is not typed.")

(cl-defstruct (tongs-call (:constructor tongs-call--make) (:copier nil))
  "A call as it is shown."
  id name title status places began seconds line is-open start end question is-waiting result problem
  ;; The call whose delegated conversation makes it, and how deep that is.
  parent (depth 0))

;; Inserting.

(defmacro tongs-view--drawing (session &rest body)
  "Run BODY in the buffer of SESSION, where everything may be changed.
Point and what is typed stay where they are."
  (declare (indent 1) (debug t))
  `(when (buffer-live-p (tongs-session-buffer ,session))
     (with-current-buffer (tongs-session-buffer ,session)
       (let ((inhibit-read-only t)
             (inhibit-modification-hooks t)
             (is-modified (buffer-modified-p)))
         (save-excursion
           (let ((buffer-undo-list t))
             ,@body))
         ;; Places in an undo list from before would be wrong now.
         (unless (eq buffer-undo-list t) (setq buffer-undo-list nil))
         (set-buffer-modified-p is-modified)))))

(defun tongs-view--text (text &rest properties)
  "Return TEXT with PROPERTIES, as a part of the conversation."
  (apply #'propertize text
         'read-only t 'front-sticky '(read-only) 'rear-nonsticky t
         'keymap tongs-view-map properties))

(defun tongs-view-set-up (session)
  "Make the current, empty buffer that of SESSION."
  (setq tongs-session session)
  (let ((inhibit-read-only t))
    (erase-buffer)
    (setq tongs-view-end (copy-marker (point-min) t))
    (insert (tongs-view--text "\n" 'tongs-prompt t)
            (tongs-view--text "\n" 'face 'tongs-line 'tongs-prompt t)
            (tongs-view--text "> " 'face 'tongs-user 'tongs-prompt t))
    (setq tongs-view-input (point-marker))
    (set-marker tongs-view-end (point-min))))

(defun tongs-view--insert (text &rest properties)
  "Insert TEXT with PROPERTIES at the end of the conversation."
  (goto-char tongs-view-end)
  (insert (apply #'tongs-view--text text properties)))

(defun tongs-view--open (session kind message)
  "Begin a part of SESSION, of a KIND and with the id MESSAGE, if it is another."
  (let ((goes-on (and (eq kind (tongs-session-last-kind session))
                      (equal message (tongs-session-last-message session)))))
    (unless goes-on
      (goto-char tongs-view-end)
      (unless (or (bobp) (eq (char-before) ?\n)) (tongs-view--insert "\n"))
      (unless (or (bobp) (and (eq kind 'call) (eq (tongs-session-last-kind session) 'call)))
        (tongs-view--insert "\n"))
      (setf (tongs-session-last-kind session) kind
            (tongs-session-last-message session) message))
    (not goes-on)))

(defun tongs-view-say (session kind text &optional message)
  "Show TEXT in SESSION: KIND is agent, thought, user, notice or problem.
Texts with the same MESSAGE belong together."
  (unless (or (string-empty-p text) (and (eq kind 'thought) (not tongs-display-thoughts)))
    (tongs-view--drawing session
      (let ((is-new (tongs-view--open session kind message)))
        (pcase kind
          ('user (tongs-view--insert (concat (if is-new "> " "") text) 'face 'tongs-user
                                     'tongs-turn (and is-new text)))
          ('agent (tongs-view--insert text))
          ('thought (tongs-view--insert text 'face 'tongs-thought))
          ('problem (tongs-view--insert text 'face 'tongs-problem))
          (_ (tongs-view--insert text 'face 'tongs-notice)))))))

(defun tongs-view-notice (session text)
  "Show TEXT in SESSION as a notice of its own."
  (tongs-view-say session 'notice text (cl-gensym)))

(defun tongs-view-problem (session problem)
  "Show PROBLEM in SESSION, an error of the agent, with what to do about it."
  ;; The end of the agent is said once, whatever was waiting for it.
  (unless (tongs-get problem 'has-ended)
    (tongs-view-say session 'problem
                    (string-join
                     (cons (or (tongs-get problem 'message) "Something went wrong.")
                           (mapcar (lambda (step) (concat "  - " step))
                                   (or (tongs-get problem 'data 'recovery)
                                       (tongs-get problem 'recovery))))
                     "\n")
                    (cl-gensym))))

(defun tongs-view-offer (session text label action)
  "Show TEXT in SESSION, and a button with LABEL for ACTION."
  (tongs-view-notice session (concat text " "))
  (tongs-view--drawing session
    (tongs-view--insert (concat "[" label "]") 'face 'link 'mouse-face 'highlight
                        'tongs-action action)))

(defun tongs-view-count (count one many)
  "Return COUNT with ONE or MANY, the words for what is counted."
  (format "%d %s" count (if (= count 1) one many)))

(defconst tongs-view--hidden
  (concat "[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891"
          "\u08e2\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f"
          "\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd"
          "\U00013430-\U00013455\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")
  "Characters that do not show, steer what is around them, or pass for a blank.")

(defun tongs-view-spelled (text)
  "Return TEXT with each character that does not show as its code.
Nothing is left out: this is for what a person agrees to."
  (replace-regexp-in-string
   tongs-view--hidden
   (lambda (found) (mapconcat (lambda (char) (format "\\u{%x}" char)) found ""))
   text t t))

(defun tongs-view-words (text)
  "Return TEXT as a part of a row: its line ends and long blanks show."
  (replace-regexp-in-string
   " \\{4,\\}" (lambda (run) (format "⟨%d blanks⟩" (length run)))
   (string-replace "\n" "⏎" (string-replace "\t" "→" (tongs-view-spelled text))) t t))

(defun tongs-view-name (path)
  "Return PATH as the name of a file in a row.
It is in quotes if it could pass for a part of the row."
  (if (string-match-p "\\`[[:alnum:]_./@%+=,:~#[-]+\\'" (string-replace "]" "" path))
      (tongs-view-words path)
    (let ((quoted (string-replace "\"" "\\\"" (string-replace "\\" "\\\\" path))))
      (format "\"%s\"" (tongs-view-words quoted)))))

(defun tongs-view--title (title)
  "Return TITLE without the backquotes that only Markdown needs."
  (if (string-match "\\`\\([^`]*\\)\\(`+\\)\\( ?\\)\\(.*\\)\\3\\2\\'" title)
      (concat (match-string 1 title) (match-string 4 title))
    title))

(defun tongs-view--below (text)
  "Return TEXT so that each of its lines stands below the header of a call."
  (string-replace "\n" "\n      " (tongs-view-spelled text)))

(defun tongs-view-plain (text)
  "Return TEXT without what would steer a terminal."
  (replace-regexp-in-string
   "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]" ""
   (ansi-color-filter-apply text)))

;; What is typed.

(defun tongs-view-typed ()
  "Return what is typed and not sent."
  (buffer-substring-no-properties tongs-view-input (point-max)))

(defun tongs-view-take-typed ()
  "Return what is typed, and remove it."
  (setq tongs-view--recalled nil)
  (prog1 (tongs-view-typed)
    (delete-region tongs-view-input (point-max))))

(defun tongs-view--prompts ()
  "Return what was sent in this conversation, the newest first."
  (save-excursion
    (goto-char (point-min))
    (let (prompts match)
      (while (setq match (text-property-search-forward 'tongs-turn))
        (when-let ((text (prop-match-value match))) (push text prompts)))
      prompts)))

(defun tongs-view-recall (count)
  "Recall what was sent before, COUNT times, to send it again."
  (interactive "p")
  (let* ((prompts (tongs-view--prompts))
         (typed (if tongs-view--recalled (cdr tongs-view--recalled) (tongs-view-typed)))
         (place (+ count (or (car tongs-view--recalled) 0))))
    (cond ((> place (length prompts)) (user-error "Nothing was sent before"))
          ((< place 0) (user-error "Nothing was sent after")))
    (goto-char (point-max))
    (delete-region tongs-view-input (point-max))
    (insert (if (= place 0) typed (nth (1- place) prompts)))
    (setq tongs-view--recalled (and (> place 0) (cons place typed)))))

(defun tongs-view-recall-next (count)
  "Recall what was sent after that, COUNT times; last comes what was typed."
  (interactive "p")
  (tongs-view-recall (- count)))

;; Calls.

(defun tongs-view-call (session update)
  "Show in SESSION what is new about a call, which UPDATE has."
  (let* ((id (tongs-get update 'toolCallId))
         (call (gethash id (tongs-session-calls session)))
         (is-new (null call)))
    (when is-new
      (let ((parent (gethash (tongs-get update '_meta 'tongs 'delegate 'execution)
                             (tongs-session-calls session))))
        (setq call (tongs-call--make :id id :began (float-time) :status "pending"
                                     :title "call" :name "call" :parent parent
                                     :depth (if parent (1+ (tongs-call-depth parent)) 0))))
      (puthash id call (tongs-session-calls session)))
    (tongs-view--note call update)
    (if is-new
        (tongs-view--drawing session
          (let ((place (tongs-view--place session call)))
            (setf (tongs-call-start call) (copy-marker place t)
                  (tongs-call-end call) (copy-marker place))
            (tongs-view--draw call place)))
      (tongs-view-redraw session call))
    call))

(defun tongs-view--place (session call)
  "Return where CALL of SESSION is drawn first: at the end, or below its parent."
  (if (null (tongs-call-parent call))
      (progn
        (tongs-view--open session 'call nil)
        (marker-position tongs-view-end))
    (cl-loop for other in (hash-table-values (tongs-session-calls session))
             when (and (not (eq other call)) (tongs-view--is-below other (tongs-call-parent call)))
             maximize (marker-position (tongs-call-end other)))))

(defun tongs-view--is-below (call other)
  "Return non-nil if CALL is OTHER, or was made for it."
  (and call (or (eq call other) (tongs-view--is-below (tongs-call-parent call) other))))

(defun tongs-view--note (call update)
  "Put what UPDATE has into CALL."
  (when-let ((title (tongs-get update 'title)))
    (setf (tongs-call-title call) (tongs-view-words (tongs-view--title title))))
  (when-let ((name (tongs-get update 'name)))
    (setf (tongs-call-name call) name))
  (when-let ((places (tongs-get update 'locations)))
    (setf (tongs-call-places call) places))
  (when-let ((status (tongs-get update 'status)))
    (unless (equal status "pending") (setf (tongs-call-is-waiting call) nil))
    (setf (tongs-call-status call) status))
  (when (assq 'rawOutput update)
    (let ((output (tongs-get update 'rawOutput))
          (is-ok (tongs-get update '_meta 'tongs 'ok))
          (ms (tongs-get update '_meta 'tongs 'execution 'duration_ms)))
      (setf (tongs-call-line call) tongs-agent-line
            (tongs-call-result call) output
            (tongs-call-problem call) (and (not is-ok) output)
            (tongs-call-seconds call)
            (if ms (/ ms 1000.0) (- (float-time) (tongs-call-began call)))))))

(defun tongs-view--draw (call position)
  "Draw CALL at POSITION, and note where it is."
  (goto-char position)
  (insert (tongs-view--text (tongs-view--header call)
                            'face 'tongs-call 'tongs-call (tongs-call-id call) 'tongs-header t
                            'mouse-face 'highlight
                            'help-echo "RET: fold or unfold   o: visit the file"))
  (put-text-property position (1+ position) 'face (tongs-view--sign-face call))
  (let ((first (point)))
    (tongs-view--draw-body call)
    (add-text-properties first (point) (list 'tongs-call (tongs-call-id call)
                                             'wrap-prefix "      ")))
  (when (> (tongs-call-depth call) 0)
    (let ((space (make-string (* 4 (tongs-call-depth call)) ?\s)))
      (add-text-properties position (point) (list 'line-prefix space
                                                  'wrap-prefix (concat space "      ")))))
  (set-marker (tongs-call-start call) position)
  (set-marker (tongs-call-end call) (point)))

(defun tongs-view-redraw (session call)
  "Draw CALL of SESSION again."
  (tongs-view--drawing session
    (let* ((start (marker-position (tongs-call-start call)))
           (end (marker-position (tongs-call-end call)))
           (windows (mapcar (lambda (window) (cons window (window-point window)))
                            (get-buffer-window-list nil nil t)))
           (before (buffer-size)))
      (delete-region start end)
      (tongs-view--draw call start)
      ;; A window whose point is in the call stays in it.
      (pcase-dolist (`(,window . ,point) windows)
        (cond ((and (>= point start) (< point end))
               (set-window-point window (min point (1- (tongs-call-end call)))))
              ((>= point end)
               (set-window-point window (+ point (- (buffer-size) before)))))))))

(defun tongs-view--sign (call)
  "Return the sign of CALL."
  (pcase (tongs-call-status call)
    ("completed" "✓")
    ("failed" "✗")
    ("in_progress" "▶")
    ("interrupted" "!")
    (_ (if (or (tongs-call-question call) (tongs-call-is-waiting call)) "?" "·"))))

(defun tongs-view--sign-face (call)
  "Return the face of the sign of CALL."
  (pcase (tongs-view--sign call)
    ("✓" 'success)
    ((or "✗" "!") 'error)
    ("?" 'warning)
    (_ 'tongs-call)))

(defun tongs-view-note-waiting (session id)
  "Show that call ID of SESSION waits for an answer."
  (when-let ((call (gethash id (tongs-session-calls session))))
    (setf (tongs-call-is-waiting call) t)
    (tongs-view-redraw session call)))

(defun tongs-view-interrupt (session)
  "Mark as interrupted what the agent of SESSION was doing when it ended."
  (dolist (call (hash-table-values (tongs-session-calls session)))
    (unless (or (tongs-call-is-waiting call)
                (member (tongs-call-status call) '("completed" "failed")))
      (setf (tongs-call-status call) "interrupted")
      (tongs-view-redraw session call))))

(defun tongs-view--header (call)
  "Return the header of CALL, a line."
  (concat (tongs-view--sign call) " "
          (truncate-string-to-width (string-replace "\n" " " (tongs-call-title call)) 160 nil nil t)
          (when-let ((seconds (tongs-call-seconds call)))
            (format "  %s" (tongs-view--seconds seconds)))
          (when-let ((summary (tongs-view--summary (tongs-call-result call))))
            (concat "  " summary))
          "\n"))

(defun tongs-view--summary (result)
  "Return in a few words how a command or a test run with RESULT ended, or nil.
Also that a person took only a part of its change."
  (let ((total (tongs-get result 'total))
        (code (tongs-get result 'exit_code))
        (signal (tongs-get result 'signal)))
    (cond ((and (numberp total) (tongs-get result 'passed))
           (let ((bad (+ (or (tongs-get result 'failed) 0) (or (tongs-get result 'errors) 0))))
             (if (zerop bad) (format "%d passed" (tongs-get result 'passed))
               (format "%d of %d failed" bad total))))
          ((stringp signal) (format "ended by %s" (tongs-view-words signal)))
          ((and (numberp code) (/= code 0)) (format "exit %d" code))
          ((eq t (tongs-get result 'partial)) "in part"))))

(defun tongs-view--seconds (seconds)
  "Return SECONDS in words."
  (cond ((< seconds 1) (format "%d ms" (round (* 1000 seconds))))
        ((< seconds 60) (format "%.1f s" seconds))
        (t (format "%d:%02d min" (/ (floor seconds) 60) (mod (floor seconds) 60)))))

(defun tongs-view--link (text &rest properties)
  "Insert TEXT as something to press, with PROPERTIES."
  (insert (apply #'tongs-view--text text 'face 'link 'mouse-face 'highlight properties)))

(defun tongs-view--draw-body (call)
  "Draw what is below the header of CALL."
  (when (tongs-call-question call)
    (insert (tongs-view--text "    "))
    (tongs-view--link "[decide]" 'tongs-action (tongs-call-question call))
    (insert (tongs-view--text "\n")))
  (when-let ((output (tongs-view-output tongs-session (tongs-call-id call))))
    (insert (tongs-view--text "    "))
    (tongs-view--link "[output]" 'tongs-action
                      (lambda ()
                        (unless (buffer-live-p output) (user-error "The output was killed"))
                        (display-buffer output)))
    (insert (tongs-view--text "\n")))
  (when-let ((problem (tongs-call-problem call)))
    (insert (tongs-view--text (format "    %s\n" (tongs-view--below (or (tongs-get problem 'message) "It failed.")))
                              'face 'tongs-problem))
    (dolist (step (tongs-get problem 'recovery))
      (insert (tongs-view--text (format "    - %s\n" (tongs-view--below step)) 'face 'tongs-detail))))
  (tongs-view--draw-rows call)
  (when (tongs-call-is-open call)
    (tongs-view--draw-diff call)
    (insert (tongs-view--text (tongs-view--json call) 'face 'tongs-detail))))

(defun tongs-view--draw-diff (call)
  "Draw the diff in the result of CALL, if it has one."
  (let ((diff (tongs-get (tongs-call-result call) 'diff)))
    (when (and (stringp diff) (<= (length diff) tongs-display-characters))
      (dolist (line (split-string (tongs-view-spelled diff) "\n" t))
        (insert (tongs-view--text (concat "    " line "\n") 'face (tongs-view--diff-face line)))))))

(defun tongs-view-diff (diff)
  "Return DIFF spelled out, with a bar before each line.
A line of a file would else look like a row of ours, such as an answer."
  (if (equal "" diff) ""
    (propertize (concat (string-remove-suffix "\n" (tongs-view-spelled diff)) "\n")
                'line-prefix "  │ " 'wrap-prefix "  ┊ ")))

;; Not `diff-mode': it obeys the variables of the folder, and its keys change files that the diff names.
(define-derived-mode tongs-diff-mode special-mode "Tongs-Diff"
  "A diff of the agent, to be read.

\\{tongs-diff-mode-map}"
  (setq-local font-lock-defaults '(tongs-view--diff-keywords t))
  ;; Nothing of it is out of sight, or out of order.
  (setq-local buffer-invisibility-spec nil)
  (setq-local truncate-lines nil)
  (setq-local truncate-partial-width-windows nil)
  (setq-local word-wrap t)
  ;; A row that goes on cannot pass for one that begins.
  (setq-local wrap-prefix "    ┊ ")
  (setq-local bidi-display-reordering nil))

(define-key tongs-diff-mode-map "n" #'tongs-next-hunk)
(define-key tongs-diff-mode-map "p" #'tongs-previous-hunk)

(defun tongs-next-hunk (&optional count)
  "Go to the next hunk, or with COUNT to the hunk so far ahead."
  (interactive "p")
  (let ((count (or count 1)))
    (when (and (> count 0) (looking-at-p "@@")) (forward-char))
    (unless (re-search-forward "^@@" nil t count) (user-error "There is no further hunk"))
    (beginning-of-line)))

(defun tongs-previous-hunk (&optional count)
  "Go to the hunk before, or with COUNT to the hunk so far back."
  (interactive "p")
  (tongs-next-hunk (- (or count 1))))

(defconst tongs-view--diff-keywords
  '(("^.*$" 0 (tongs-view--diff-face (match-string 0))))
  "How the lines of a diff are coloured.")

(defun tongs-view--diff-face (line)
  "Return the face of LINE of a diff."
  (pcase line
    ((or (pred (string-prefix-p "--- ")) (pred (string-prefix-p "+++ "))) 'diff-file-header)
    ((pred (string-prefix-p "@@")) 'diff-hunk-header)
    ((pred (string-prefix-p "+")) 'diff-added)
    ((pred (string-prefix-p "-")) 'diff-removed)
    (_ 'diff-context)))

(defun tongs-view--rows (call)
  "Return the rows in the result of CALL: matches or failures."
  (let ((result (tongs-call-result call)))
    (and (null (tongs-call-problem call))
         (or (tongs-get result 'matches) (tongs-get result 'failures)))))

(defun tongs-view--row-text (row)
  "Return the words of ROW: the line of a match, or a test and what went wrong."
  (if (tongs-get row 'match_text)
      (concat (tongs-get row 'before) (tongs-get row 'match_text) (tongs-get row 'after))
    (concat (tongs-get row 'name) ": " (tongs-get row 'message))))

(defun tongs-view--draw-rows (call)
  "Draw the places that CALL has found."
  (let* ((rows (tongs-view--rows call))
         (most (if (tongs-call-is-open call) (length rows) tongs-display-rows)))
    (dolist (row (seq-take rows most))
      (let ((path (or (tongs-get row 'path) (tongs-get row 'file)))
            (line (tongs-get row 'line))
            (text (tongs-view--row-text row)))
        (insert (tongs-view--text "    "))
        (when (stringp path)
          (tongs-view--link (tongs-view-words (format "%s%s" path (if line (format ":%d" line) "")))
                            'tongs-place (list path line (tongs-get row 'column))))
        (insert (tongs-view--text
                 (format "%s%s\n" (if (stringp path) ": " "")
                         (tongs-view-words (car (split-string text "\n"))))
                 'face 'tongs-detail))))
    (when (> (length rows) most)
      (insert (tongs-view--text (format "    … %d more; TAB shows them\n" (- (length rows) most))
                                'face 'tongs-detail)))))

(defun tongs-view--json (call)
  "Return the result of CALL as JSON that a person can read."
  (if (null (tongs-call-line call))
      "    No result yet.\n"
    (let* ((message (json-parse-string (tongs-call-line call)))
           (output (gethash "rawOutput" (gethash "update" (gethash "params" message))))
           (text (with-temp-buffer
                   (insert (json-serialize output))
                   (when (< (buffer-size) (* 4 tongs-display-characters))
                     (json-pretty-print-buffer))
                   (goto-char (point-min))
                   (while (re-search-forward "^" nil t)
                     (insert "    ")
                     (forward-line 1)
                     (when (eobp) (goto-char (point-max))))
                   (buffer-string)))
           (shown (if (> (length text) tongs-display-characters)
                      (concat (substring text 0 tongs-display-characters) "…")
                    text)))
      (concat (tongs-view-spelled shown) "\n"))))

(defun tongs-view-output (session id)
  "Return the buffer with the output of call ID of SESSION, or nil."
  (let ((buffer (gethash id (tongs-session-outputs session))))
    (and (buffer-live-p buffer) buffer)))

;; Moving and pressing.

(defun tongs-view-call-at-point ()
  "Return the call at point, or nil."
  (when-let ((id (get-text-property (point) 'tongs-call)))
    (gethash id (tongs-session-calls tongs-session))))

(defun tongs-view--local (path root)
  "Return the absolute name of PATH in ROOT; signal an error if it is remote.
A model or a test chooses PATH, and touching a remote name connects to its host."
  (let ((file (let ((file-name-handler-alist nil)) (expand-file-name path root))))
    ;; Emacs leaves some of the steps that lead above the topmost folder.
    (while (string-prefix-p "/../" file) (setq file (substring file 3)))
    (when (or (file-remote-p path) (file-remote-p file))
      (user-error "Tongs visits no remote files: %s" (tongs-view-words path)))
    file))

(defun tongs-view-visit (root place &optional is-other)
  "Visit PLACE, a list of path, line and column, in ROOT.
IS-OTHER means in another window.  A place that does not exist is an error, and
so is one on another machine."
  (pcase-let* ((`(,path ,line ,column) place)
               (file (tongs-view--local path root)))
    (unless (file-exists-p file)
      (user-error "There is no file %s" (tongs-view-words path)))
    ;; Reading a pipe or a device would never end.
    (unless (or (file-regular-p file) (file-directory-p file))
      (user-error "Tongs visits only files and folders, and not %s" (tongs-view-words path)))
    (let ((buffer (find-file-noselect file)))
      (if is-other (pop-to-buffer buffer) (switch-to-buffer buffer))
      (when line
        (let ((last (line-number-at-pos (point-max) t)))
          (when (> line last)
            (user-error "%s has %d lines, and line %d is asked for" (tongs-view-words path) last line)))
        (widen)
        (goto-char (point-min))
        (forward-line (1- line))
        (when column (move-to-column (max 0 (1- column)))))
      buffer)))

(defun tongs-view-press ()
  "Do what the text at point is for: visit a place, press a button or fold."
  (interactive)
  (let ((place (get-text-property (point) 'tongs-place))
        (action (get-text-property (point) 'tongs-action)))
    (cond (place (tongs-view-visit (tongs-session-root tongs-session) place t))
          (action (funcall action))
          (t (tongs-view-fold)))))

(defun tongs-view-press-mouse (event)
  "Do what the text at EVENT is for."
  (interactive "e")
  (mouse-set-point event)
  (tongs-view-press))

(defun tongs-view-fold ()
  "Fold or unfold the result of the call at point."
  (interactive)
  (let ((call (or (tongs-view-call-at-point) (user-error "There is no call here")))
        (position nil))
    (setf (tongs-call-is-open call) (not (tongs-call-is-open call)))
    (setq position (marker-position (tongs-call-start call)))
    (tongs-view-redraw tongs-session call)
    (goto-char position)))

(defun tongs-view-open-file ()
  "Visit the file of the call at point, at its line."
  (interactive)
  (let ((place (get-text-property (point) 'tongs-place))
        (call (tongs-view-call-at-point)))
    (if place
        (tongs-view-visit (tongs-session-root tongs-session) place t)
      (let ((first (car (and call (tongs-call-places call)))))
        (unless first (user-error "This call names no file"))
        (tongs-view-visit (tongs-session-root tongs-session)
                          (list (tongs-get first 'path) (tongs-get first 'line)) t)))))

(defun tongs-view--next (property count)
  "Move over COUNT texts that have PROPERTY; return non-nil if there are so many."
  (let ((is-back (< count 0)) found)
    (dotimes (_ (abs count) found)
      (setq found (if is-back
                      (text-property-search-backward property nil nil t)
                    (text-property-search-forward property nil nil t)))
      (when found (goto-char (prop-match-beginning found))))))

(defun tongs-view-next-call (count)
  "Move to the header of the next call, or over COUNT of them."
  (interactive "p")
  (unless (tongs-view--next 'tongs-header count) (user-error "No more calls")))

(defun tongs-view-previous-call (count)
  "Move to the header of the call before this one, or over COUNT of them."
  (interactive "p")
  (tongs-view-next-call (- count)))

(defun tongs-view--last-turn ()
  "Return where the last prompt that was sent begins."
  (save-excursion
    (goto-char tongs-view-end)
    (if-let ((found (text-property-search-backward 'tongs-turn)))
        (prop-match-beginning found)
      (point-min))))

(defun tongs-view-next-error (count is-first)
  "Visit the next place that a search or a test found, or the one COUNT further.
IS-FIRST means from the beginning; see `next-error-function'.  Where you type,
nothing is next, so the first place is that of the last turn."
  (cond (is-first (goto-char (point-min)))
        ((and (> count 0) (>= (point) tongs-view-end)) (goto-char (tongs-view--last-turn))))
  (unless (tongs-view--next 'tongs-place count) (user-error "No more places"))
  (let ((place (get-text-property (point) 'tongs-place)))
    (dolist (window (get-buffer-window-list nil nil t)) (set-window-point window (point)))
    (tongs-view-visit (tongs-session-root tongs-session) place t)))

(defun tongs-view-turns ()
  "Return an index of the conversation for `imenu', by prompt."
  (save-excursion
    (goto-char (point-min))
    (let (turns match)
      (while (setq match (text-property-search-forward 'tongs-turn))
        (when-let ((text (prop-match-value match)))
          (push (cons (truncate-string-to-width (car (split-string text "\n")) 60 nil nil t)
                      (copy-marker (prop-match-beginning match)))
                turns)))
      (nreverse turns))))

(provide 'tongs-view)
;;; tongs-view.el ends here
