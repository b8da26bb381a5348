-- How a workspace shows itself: its logo, its branding.

ALTER TABLE workspace
  ADD COLUMN logo CHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'last part of its address; random, another one for each image' AFTER slug,
  ADD COLUMN logo_sha256 BINARY(32) NULL AFTER logo,
  ADD COLUMN logo_size INT UNSIGNED NULL AFTER logo_sha256,
  ADD UNIQUE KEY workspace_logo (logo),
  ADD KEY workspace_logo_object (logo_sha256);

ALTER TABLE workspace
  ADD COLUMN brand_name VARCHAR(120) NULL AFTER logo_size,
  ADD COLUMN brand_color CHAR(7) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT '#rrggbb' AFTER brand_name,
  ADD COLUMN brand_email VARCHAR(254) NULL AFTER brand_color,
  ADD COLUMN brand_footer VARCHAR(200) NULL AFTER brand_email,
  ADD COLUMN hide_vitrine BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'as long as its plan has custom_branding' AFTER brand_footer;
