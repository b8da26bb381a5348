-- What a draft changes of its artifact takes effect when it goes live, and not before.

ALTER TABLE version
  ADD COLUMN next_name VARCHAR(200) NULL COMMENT 'the name of the artifact once this draft goes live; NULL: as it is then',
  ADD COLUMN next_policy LONGTEXT NULL COMMENT 'its access_policy from then on; empty: none',
  ADD COLUMN next_agent LONGTEXT NULL COMMENT 'its agent from then on; empty: none';
