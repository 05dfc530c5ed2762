/** The default platform of an empty service. */
export const DEMO_PASSWORD = 'tracker-ledger';

export const DEMO_PLATFORM = `
settings:
  anonymous_access: true
  artifact_deletion_limit: 10
  archive_deleted_artifacts: false

artifact_link_types:
  - { shortname: fixed_in, forward_label: Fixed in, reverse_label: Fixes }
  - { shortname: custom, forward_label: Custom, reverse_label: Custom }

users:
  - { username: alice, real_name: Alice Martin, email: alice@example.org, password: ${DEMO_PASSWORD}, site_admin: true }
  - { username: bob, real_name: Bob Keller, email: bob@example.org, password: ${DEMO_PASSWORD} }
  - { username: carol, real_name: Carol Lindqvist, email: carol@example.org, password: ${DEMO_PASSWORD} }
  - { username: dave, real_name: Dave Okafor, email: dave@example.org, password: ${DEMO_PASSWORD} }

projects:
  - shortname: hydra
    label: Hydra
    description: Pumps, valves and the software that drives them
    access: public
    admins: [bob]
    members: [alice, carol]
    user_groups:
      - { short_name: developers, label: Developers, members: [bob, carol] }
      - { short_name: testers, label: Testers, members: [carol] }
    svn: true
    trackers:
      - item_name: bug
        label: Bugs
        description: What does not work as it should
        color_name: fiesta-red
        admins: [carol]
        permissions: { access: [all_users], submit: [registered_users], update: [project_members] }
        fields:
          - name: details
            label: Details
            type: fieldset
            fields:
              - { name: title, label: Title, type: string, required: true, max_chars: 200, size: 80 }
              - { name: description, label: Description, type: text, rows: 10 }
              - name: left
                label: Left
                type: column
                fields:
                  - name: status_id
                    label: Status
                    type: sb
                    required: true
                    values:
                      - { label: New, color: fiesta-red }
                      - { label: In progress, color: daphne-blue }
                      - { label: Fixed, color: army-green }
                      - { label: Closed, color: inca-silver }
                    default: New
                  - name: severity
                    label: Severity
                    type: rb
                    values: [{ label: Minor }, { label: Major }, { label: Critical, color: fiesta-red }]
                    default: Minor
                  - { name: assigned_to, label: Assigned to, type: msb, bind: users, from: [project_members] }
              - name: right
                label: Right
                type: column
                fields:
                  - { name: team, label: Team, type: sb, bind: user_groups, from: [developers, testers] }
                  - name: platforms
                    label: Platforms
                    type: cb
                    values: [{ label: Linux }, { label: Windows }, { label: Controller }]
                  - name: keywords
                    label: Keywords
                    type: tbl
                    values: [{ label: pump }, { label: valve }, { label: display }]
          - name: planning
            label: Planning
            type: fieldset
            fields:
              - { name: effort, label: Effort in days, type: float }
              - name: points
                label: Points
                type: int
                permissions: { read: [all_users], submit: [project_members], update: [project_members] }
              - { name: due, label: Due, type: date }
          - name: references
            label: References
            type: fieldset
            fields:
              - { name: links, label: Links, type: art_link }
              - { name: attachments, label: Attachments, type: file, max_size: 1073741824 }
          - name: record
            label: Record
            type: fieldset
            fields:
              - { name: id, label: Artifact, type: aid }
              - { name: number, label: Number, type: atid }
              - { name: submitted_on, label: Submitted on, type: subon }
              - { name: submitted_by, label: Submitted by, type: subby }
              - { name: last_update_on, label: Last update on, type: lud }
              - { name: last_update_by, label: Last update by, type: luby }
              - { name: visible_to, label: Visible to, type: perm }
        semantics:
          title: title
          description: description
          status: { field: status_id, open: [New, In progress] }
          contributor: assigned_to
        workflow:
          field: status_id
          transitions:
            - [null, New]
            - [New, In progress]
            - [New, Closed]
            - [In progress, Fixed]
            - [In progress, New]
            - [Fixed, Closed]
            - [Fixed, In progress]
            - [Closed, New]
        reports:
          - { name: Open bugs, default: true, query: 'status_id IN ("New", "In progress")' }
          - { name: Mine, query: 'assigned_to = MYSELF() AND status_id != "Closed"' }
          - { name: Late, public: false, query: 'due < NOW() AND status_id IN ("New", "In progress")' }

      - item_name: story
        label: Stories
        description: What users shall be able to do
        color_name: army-green
        fields:
          - { name: title, label: Title, type: string, required: true }
          - { name: description, label: Description, type: text }
          - name: status
            label: Status
            type: sb
            values: [{ label: Todo }, { label: Doing, color: daphne-blue }, { label: Done, color: army-green }]
            default: Todo
          - { name: starts, label: Starts, type: date, time: true }
          - { name: effort, label: Effort in days, type: float }
          - { name: total_effort, label: Total effort, type: computed }
          - { name: links, label: Links, type: art_link }
        semantics:
          title: title
          description: description
          status: { field: status, open: [Todo, Doing] }

  - shortname: kraken
    label: Kraken
    description: What nobody outside may see yet
    access: private
    admins: [dave]
    members: [carol]
    trackers:
      - item_name: risk
        label: Risks
        color_name: plum-crazy
        permissions: { access: [project_members], submit: [project_members], update: [project_members] }
        fields:
          - { name: title, label: Title, type: string, required: true }
          - { name: description, label: Description, type: text }
          - name: status
            label: Status
            type: sb
            values: [{ label: Open, color: fiesta-red }, { label: Accepted }, { label: Averted, color: army-green }]
            default: Open
          - { name: owner, label: Owner, type: sb, bind: users, from: [project_members] }
          - { name: impact, label: Impact, type: int, default: 1 }
          - { name: links, label: Links, type: art_link }
        semantics:
          title: title
          description: description
          status: { field: status, open: [Open] }
          contributor: owner
`;
