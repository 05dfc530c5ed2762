/** A platform with one field of every type and binding, and with projects and trackers that not everybody sees. */
const user = (username: string, more = ''): string =>
  `  - { username: ${username}, real_name: ${username} Smith, email: ${username}@example.org, password: "${username}'s password"${more} }`;

export const PLATFORM_OF_ALL_TYPES = `
settings: { anonymous_access: true, artifact_deletion_limit: 5 }
artifact_link_types:
  - { shortname: fixed_in, forward_label: Fixed in, reverse_label: Fixes }
users:
${['root'].map((name) => user(name, ', site_admin: true')).join('\n')}
${['pam', 'tim', 'meg', 'max', 'sam'].map((name) => user(name)).join('\n')}
${user('ex', ', status: suspended')}
projects:
  - shortname: open
    label: Öffentlich
    admins: [pam]
    members: [tim, meg, ex]
    user_groups:
      - { short_name: testers, label: Testers, members: [meg, sam] }
    trackers:
      - item_name: item
        label: Items
        description: Everything there is
        color_name: army-green
        admins: [tim]
        fields:
          - name: box
            label: Box
            type: fieldset
            fields:
              - name: left
                label: Left
                type: column
                fields:
                  - { name: title, label: Title, type: string, required: true, max_chars: 80, size: 40, default: Untitled }
                  - { name: about, label: About, type: text, rows: 5, default: '**Hello**' }
              - { name: count, label: Count, type: int, default: 3 }
              - { name: ratio, label: Ratio, type: float, default: 0.5 }
              - { name: due, label: Due, type: date, default: '2024-03-05' }
              - { name: meeting, label: Meeting, type: date, time: true }
          - name: status_id
            label: Status
            type: sb
            values: [{ label: New, color: fiesta-red }, { label: Open }, { label: Done }, { label: Old, hidden: true }]
            default: New
          - { name: kind, label: Kind, type: rb, values: [{ label: A }, { label: B }] }
          - { name: systems, label: Systems, type: cb, values: [{ label: Linux }, { label: macOS }, { label: BeOS }] }
          - { name: colours, label: Colours, type: msb, values: [{ label: Red }, { label: Blue }], default: [Red, Blue] }
          - { name: owner, label: Owner, type: sb, bind: users, from: [project_members], default: tim }
          - { name: helpers, label: Helpers, type: msb, bind: users, from: [testers] }
          - { name: team, label: Team, type: msb, bind: user_groups, from: [testers, project_members] }
          - { name: tags, label: Tags, type: tbl, values: [{ label: urgent }, { label: later }], default: [urgent] }
          - { name: watchers, label: Watchers, type: tbl, bind: users, from: [all_users] }
          - { name: crews, label: Crews, type: tbl, bind: user_groups, from: [testers, project_admins] }
          - { name: links, label: Links, type: art_link }
          - { name: files, label: Files, type: file, max_size: 1000 }
          - { name: readers, label: Readers, type: perm }
          - { name: remaining, label: Remaining, type: computed, default: 5.2 }
          - { name: hidden_status, label: Hidden, type: sb, values: [{ label: Deep }], permissions: { read: [project_admins] } }
          - { name: inside, label: Inside, type: string, permissions: { read: [project_members], update: [project_admins] } }
          - { name: aid, label: Artifact id, type: aid }
          - { name: atid, label: Number, type: atid }
          - { name: submitted_on, label: Submitted on, type: subon }
          - { name: submitted_by, label: Submitted by, type: subby }
          - { name: updated_on, label: Updated on, type: lud }
          - { name: updated_by, label: Updated by, type: luby }
        semantics:
          title: title
          description: about
          status: { field: status_id, open: [New, Open] }
          contributor: owner
        workflow: { field: status_id, transitions: [[null, New], [null, Done], [New, Open], [Open, Done]] }
      - item_name: veiled
        label: Another with veiled meanings
        fields:
          - { name: title, label: Title, type: string, permissions: { read: [project_admins] } }
          - { name: state, label: State, type: sb, values: [{ label: On }], permissions: { read: [project_admins] } }
        semantics: { title: title, status: { field: state, open: ['On'] } }
        workflow: { field: state, transitions: [[null, 'On']] }
      - item_name: staff
        label: Staff
        permissions: { access: [project_members] }
        fields: [{ name: title, label: Title, type: string }]
      - item_name: bosses
        label: Bosses
        permissions: { access: [project_admins] }
        fields: [{ name: title, label: Title, type: string }]
  - shortname: closed
    label: Closed
    access: private
    members: [max]
    trackers:
      - { item_name: case, label: Cases, fields: [{ name: title, label: Title, type: string }] }
  - shortname: frozen
    label: Frozen
    status: suspended
    members: [tim]
    trackers:
      - { item_name: ice, label: Ice, fields: [{ name: title, label: Title, type: string }] }
`;
