-- How a workspace shows itself: its logo.

ALTER TABLE workspace
  ADD COLUMN logo CHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'last part of its address; random, another one for each image' AFTER slug,
  ADD COLUMN logo_sha256 BINARY(32) NULL AFTER logo,
  ADD COLUMN logo_size INT UNSIGNED NULL AFTER logo_sha256,
  ADD UNIQUE KEY workspace_logo (logo),
  ADD KEY workspace_logo_object (logo_sha256);
