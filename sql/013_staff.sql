-- Who may pause and delete what others publish, on the pages for staff.

ALTER TABLE user ADD COLUMN is_staff BOOLEAN NOT NULL DEFAULT FALSE;
