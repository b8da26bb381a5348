-- How a workspace shows itself: its logo, its branding, a host of its own.

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

-- A host of its own. Its label is among the slugs of artifacts: a row names an artifact or a workspace.
ALTER TABLE workspace
  ADD COLUMN subdomain VARCHAR(30) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'its label as long as it is on' AFTER hide_vitrine,
  ADD UNIQUE KEY workspace_subdomain (subdomain);

ALTER TABLE slug
  MODIFY COLUMN owner_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  MODIFY COLUMN artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'outlives a purged artifact',
  ADD COLUMN workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'whose label it is, or was until released_at' AFTER artifact_id,
  ADD KEY slug_workspace (workspace_id);

-- The names in sites/ that an artifact has beside its slug, as the projection has made them: <slug>--<label>.
CREATE TABLE site_link (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  name VARCHAR(63) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  PRIMARY KEY (artifact_id, name),
  CONSTRAINT site_link_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

ALTER TABLE artifact ADD KEY artifact_front (workspace_id, visibility, id);
