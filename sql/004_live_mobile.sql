-- Whether the live version has a page for small screens, so that reading an artifact reads no version.

ALTER TABLE artifact ADD COLUMN live_mobile BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'version live_no has a mobile_sha256' AFTER live_no;

UPDATE artifact a JOIN version v ON v.artifact_id = a.id AND v.version_no = a.live_no SET a.live_mobile = v.mobile_sha256 IS NOT NULL;
